import { shareRuns } from '../../base/concurrency.ts'
import { placeOf } from '../databases/connection.ts'
import { DatabaseError } from '../databases/databaseError.ts'
import type { Probe, ServerReading } from '../databases/probe.ts'
import { within } from '../databases/within.ts'
import { serverOf } from './dataSources.ts'
import { type Observation, observe } from './observation.ts'
import { delayOf, type Pace } from './pace.ts'

/** Where a database server listens. */
export type Server = { readonly host: string; readonly port: number }

/** Time and chance as the monitor sees them, in milliseconds. */
export type MonitorTiming = {
  readonly pace: Pace
  /** How long one check may take. */
  readonly limit: number
  readonly now: () => number
  /** Resolves after that time, or rejects at once when the signal comes. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
  /** From 0 to 1. */
  readonly random: () => number
}

/** One of the checks that are made all the time. */
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

type Watched = { readonly check: () => Promise<Observation>; readonly end: () => void }

/** Watches servers as `follow` says; `seen` is told of each check of the row, `fault` of errors that are bugs. */
export function createMonitor(options: {
  readonly open: (server: Server) => Probe
  readonly timing: MonitorTiming
  readonly seen: (check: Check) => void
  readonly fault: (error: unknown) => void
}): Monitor {
  const { open, timing, seen, fault } = options
  const { pace, limit, now, wait, random } = timing
  const watched = new Map<string, Watched>()

  /** Who has no time left leaves; the reading goes on, so that a server that hangs is asked once. */
  const checkOf = (server: Server, read: () => Promise<ServerReading>) => (): Promise<Observation> =>
    observe(
      within({
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
    readonly signal: AbortSignal
  }): Promise<void> {
    const { server, check, signal } = options
    let unanswered = 0
    while (!signal.aborted) {
      const start = now()
      try {
        const observation = await check()
        if (signal.aborted) return
        unanswered = observation.kind === 'answered' ? 0 : unanswered + 1
        seen({ server, observation, milliseconds: now() - start })
      } catch (error) {
        fault(error)
        unanswered += 1
      }
      await wait(delayOf({ pace, unanswered, random: random() }), signal).catch(() => undefined)
    }
  }

  function begin(server: Server): Watched {
    const probe = open(server)
    const stop = new AbortController()
    const check = checkOf(
      server,
      shareRuns(() => probe.read()),
    )
    void watch({ server, check, signal: stop.signal })
    return {
      check,
      end: () => {
        stop.abort()
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
