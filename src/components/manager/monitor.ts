import { shareRuns } from '../../base/concurrency.ts'
import { placeOf } from '../databases/connection.ts'
import { DatabaseError } from '../databases/databaseError.ts'
import type { Probe, ServerReading } from '../databases/probe.ts'
import { withTimeout } from '../databases/withTimeout.ts'
import { type Observation, observe } from './checkResult.ts'
import { serverOf } from './dataSources.ts'

/** Interval between checks of a server, in milliseconds. */
type CheckInterval = {
  /** From the end of one check to the begin of the next. */
  readonly usual: number
  /** After a failed check, until enough of them fence the data source. */
  readonly retry: number
  /** Longest interval for a server that does not answer: a link that is whole again is seen soon. */
  readonly away: number
  /** Longest interval for a server that refuses what it is asked. */
  readonly longest: number
  /** Unanswered checks in a row before the interval grows. */
  readonly quickRetries: number
}

export const defaultCheckInterval: CheckInterval = {
  usual: 1000,
  retry: 200,
  away: 2_000,
  longest: 5_000,
  quickRetries: 3,
}

/** Largest random deviation of a delay, either way, so that managers do not all check at once. */
const jitter = 0.2

/** Returns the milliseconds until the next check after so many unanswered ones; `random` is from 0 to 1. */
export function nextCheckDelay(facts: {
  readonly checkInterval: CheckInterval
  readonly unanswered: number
  /** True if the last check failed: only then a quick result counts. */
  readonly isFailing: boolean
  readonly random: number
}): number {
  const { checkInterval, unanswered, isFailing, random } = facts
  const isQuick = isFailing && unanswered < checkInterval.quickRetries
  const doublings = Math.max(0, unanswered - checkInterval.quickRetries + 1)
  const delay = isQuick
    ? checkInterval.retry
    : Math.min(isFailing ? checkInterval.away : checkInterval.longest, checkInterval.usual * 2 ** doublings)
  return Math.round(delay * (1 - jitter + 2 * jitter * random))
}

/** Address of a database server, and the name of its data source. */
export type Server = { readonly host: string; readonly port: number; readonly name?: string }

/** Clock, randomness and limits of the monitor, in milliseconds. */
export type MonitorTiming = {
  readonly checkInterval: CheckInterval
  /** Limit of one check. */
  readonly limit: number
  readonly now: () => number
  /** Resolves after that time, or rejects at once when the signal comes. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
  /** From 0 to 1. */
  readonly random: () => number
}

/** Result of one regular check. */
export type Check = {
  readonly server: Server
  readonly observation: Observation
  readonly milliseconds: number
}

/** Checks servers again and again, one check of a server at a time. */
export type Monitor = {
  /** Watches these servers from now on, and no others. */
  follow(servers: readonly Server[]): void
  /** A check that begins now, outside the row of those that count; undefined where nobody watches the server any more. */
  check(server: Server): Promise<Observation | undefined>
  /** Ends every check and every wait. */
  close(): void
}

type Pauses = {
  /** Resolves to true after that time, or to false at its early end. */
  readonly wait: (milliseconds: number) => Promise<boolean>
  readonly end: () => void
}

type Watched = { readonly check: () => Promise<Observation>; readonly end: () => void }

/**
 * Monitors the servers of `follow`; `onCheck` is called with each regular check, `onError` with errors that are bugs. A server
 * whose probe calls `onLost` is checked at once: the system reports a process that died long before the next check.
 */
export function createMonitor(options: {
  readonly open: (server: Server, onLost: () => void) => Probe
  readonly timing: MonitorTiming
  /** True for a server of this host: it is seen soon after its start, however long it was away. */
  readonly isLocal?: (server: Server) => boolean
  readonly onCheck: (check: Check) => void
  readonly onError: (error: unknown) => void
}): Monitor {
  const { open, timing, isLocal = () => false, onCheck, onError } = options
  const { limit, now, wait, random } = timing
  const watched = new Map<string, Watched>()

  /** Gives up waiting after the limit; the reading goes on, so that a server that hangs is asked once. */
  const checkOf = (server: Server, read: () => Promise<ServerReading>) => (): Promise<Observation> =>
    observe(
      withTimeout({
        milliseconds: limit,
        work: read(),
        late: () => {
          const message = `The database ${placeOf(server)} did not answer within ${limit / 1000} s.`
          return new DatabaseError({ code: 'timeout', message })
        },
      }),
    )

  async function watch(options: {
    readonly server: Server
    readonly check: () => Promise<Observation>
    readonly pauses: Pauses
    readonly signal: AbortSignal
  }): Promise<void> {
    const { server, check, pauses, signal } = options
    const { usual, retry } = timing.checkInterval
    const checkInterval = { ...timing.checkInterval, ...(isLocal(server) && { away: usual, longest: usual }) }
    let unanswered = 0
    let isFailing = false
    while (!signal.aborted) {
      const start = now()
      try {
        const observation = await check()
        if (signal.aborted) return
        unanswered = observation.kind === 'answered' ? 0 : unanswered + 1
        isFailing = observation.kind === 'failed'
        onCheck({ server, observation, milliseconds: now() - start })
      } catch (error) {
        onError(error)
        unanswered += 1
      }
      if (signal.aborted) return
      const delay = nextCheckDelay({ checkInterval, unanswered, isFailing, random: random() })
      const ended = now()
      if (await pauses.wait(delay)) continue
      if (signal.aborted) return
      // A server that ends each connection is not asked without a pause.
      const rest = retry - (now() - ended)
      if (rest > 0) await pauses.wait(rest)
    }
  }

  /** Returns the pauses between checks of one server, which end early once. */
  function createPauses(): Pauses {
    let current = new AbortController()
    return {
      wait: async (milliseconds) => {
        current = new AbortController()
        return wait(milliseconds, current.signal).then(
          () => true,
          () => false,
        )
      },
      end: () => current.abort(),
    }
  }

  function begin(server: Server): Watched {
    const pauses = createPauses()
    const probe = open(server, pauses.end)
    const stop = new AbortController()
    const check = checkOf(
      server,
      shareRuns(() => probe.read()),
    )
    void watch({ server, check, pauses, signal: stop.signal })
    return {
      check,
      end: () => {
        stop.abort()
        pauses.end()
        probe.close()
      },
    }
  }

  return {
    follow: (servers) => {
      const wanted = new Map(servers.map((server) => [serverOf(server), server]))
      for (const [key, it] of watched) {
        if (wanted.has(key)) continue
        watched.delete(key)
        it.end()
      }
      for (const [key, server] of wanted) {
        if (!watched.has(key)) watched.set(key, begin(server))
      }
    },
    check: async (server) => watched.get(serverOf(server))?.check(),
    close: () => {
      for (const it of watched.values()) it.end()
      watched.clear()
    },
  }
}
