import type { VerboseLog } from './log.ts'

/** Fields of a finished call in the log. */
type LoggedCall = {
  readonly requestId: string
  readonly route: string
  readonly method: string
  readonly status: number
  readonly path: string
  readonly peer: string | undefined
  readonly user: string | undefined
  readonly milliseconds: number
}

export type CallLog = {
  /**
   * Logs a call: in full where `isKnown`, else as far as `fullLines` go. A `routine` one, which a
   * component or a deployment reads with success, is there at the level debug.
   */
  call(
    call: LoggedCall,
    kind: { readonly isKnown: boolean; readonly isRoutine: boolean; readonly origin: string },
  ): void
  /** Counts a connection that was closed since there were too many. */
  closed(origin: string): void
  /** Logs a fault that callers without a login can bring about as often as they like. */
  fault(facts: object, message: string): void
  /** Writes the summary that is due, if any. */
  end(): void
}

/** Characters of a path that are logged. */
const longestPath = 256

/** Within one interval, in milliseconds, so many calls without a login are logged in full; the others are counted. */
export const callLogLimits = { interval: 60_000, fullLines: 20, origins: 20 } as const

const bounded = (path: string): string =>
  path.length > longestPath ? `${path.slice(0, longestPath)}… (${path.length - longestPath} more)` : path

/** Counts by name; beyond a thousand names the rest is one. */
function tally() {
  const counts = new Map<string, number>()
  return {
    add: (name: string): void => {
      const key = counts.has(name) || counts.size < 1000 ? name : 'others'
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    /** The names with most, and the rest together. */
    shown: (): Readonly<Record<string, number>> => {
      const [most, rest] = [callLogLimits.origins, 'others']
      const sorted = [...counts].filter(([name]) => name !== rest).toSorted((a, b) => b[1] - a[1])
      const others = sorted.slice(most).reduce((sum, [, count]) => sum + count, counts.get(rest) ?? 0)
      return Object.fromEntries([...sorted.slice(0, most), ...(others > 0 ? [[rest, others] as const] : [])])
    },
    total: (): number => [...counts.values()].reduce((sum, count) => sum + count, 0),
  }
}

/**
 * Logs calls so that nobody without a login can fill the disk: the first of each interval in full, all others as one
 * line of counts when it ends.
 */
export function createCallLog(log: VerboseLog): CallLog {
  let timer: NodeJS.Timeout | undefined
  let full = 0
  let calls = tally()
  let statuses = tally()
  let connections = tally()
  let faults = tally()

  const end = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (calls.total() > 0) {
      const facts = { calls: calls.total(), from: calls.shown(), statuses: statuses.shown() }
      log.info(facts, 'further calls without a login')
    }
    if (connections.total() > 0) {
      log.warn(
        { connections: connections.total(), from: connections.shown() },
        'too many connections: closed',
      )
    }
    if (faults.total() > 0) log.error({ faults: faults.shown() }, 'further errors')
    full = 0
    ;[calls, statuses, connections, faults] = [tally(), tally(), tally(), tally()]
  }

  /** Returns true for one of the first of the interval, which it may begin. */
  const isAmongFirst = (): boolean => {
    timer ??= setTimeout(end, callLogLimits.interval).unref()
    full += 1
    return full <= callLogLimits.fullLines
  }

  return {
    call({ path, ...call }, { isKnown, isRoutine, origin }) {
      const facts = { ...call, path: bounded(path) }
      if (isRoutine) log.debug(facts, 'call')
      else if (isKnown || isAmongFirst()) log.info(facts, 'call')
      else {
        calls.add(origin)
        statuses.add(String(call.status))
      }
    },
    closed(origin) {
      if (isAmongFirst()) log.warn({ origin }, 'too many connections: one is closed')
      else connections.add(origin)
    },
    fault(facts, message) {
      if (isAmongFirst()) log.error(facts, message)
      else faults.add(message)
    },
    end,
  }
}
