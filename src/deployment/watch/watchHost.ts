import type { HostConfig } from '../../config/model.ts'
import { OperatorError } from '../../diagnostics/operatorError.ts'
import { TransportError } from '../../transport/transportError.ts'
import { failureOf } from '../hostFailure.ts'
import { type ObservedHost, unreachableStatus } from '../hostStatus.ts'
import { StepError } from '../stepError.ts'
import type { SurveyedHost, UnreachableHost } from '../survey.ts'

/** A host that is looked at again and again over one connection. */
export type HostWatch = {
  readonly host: HostConfig
  /** Undefined before the first survey ended. */
  seen(): ObservedHost | undefined
  /** Resolves to the open connection, connecting first where there is none. Rejects with the failure of the host. */
  surveyed(): Promise<SurveyedHost>
  /** Closes the connection on which a call failed, if it is still the one in use; the next use connects again. */
  failed(failure: { readonly surveyed: SurveyedHost; readonly error: unknown }): void
  /** Looks now instead of at the next turn. */
  lookNow(): void
  close(): Promise<void>
}

/**
 * Milliseconds between surveys of a host that answers, and of one that does not; and for which a survey under way leaves
 * the one before it standing.
 */
export const watchIntervals = { well: 15_000, away: 5_000, late: 20_000 } as const

/** A host that was surveyed without a connection in the end. */
class AwayError extends StepError {
  readonly away: UnreachableHost
  constructor(away: UnreachableHost) {
    super({ host: away.host.name, ...away.failure })
    this.name = 'AwayError'
    this.away = away
  }
}

/** Watches a host until it is closed. `onChange` is called after each survey. */
export function watchHost(options: {
  readonly host: HostConfig
  /** Connects and reads all facts. */
  readonly survey: () => Promise<SurveyedHost | UnreachableHost>
  /** Reads the facts again over the open connection. Rejects with a `TransportError`. */
  readonly refresh: (surveyed: SurveyedHost) => Promise<SurveyedHost>
  readonly look: (surveyed: SurveyedHost) => Promise<ObservedHost>
  readonly onChange: () => void
  /** Asked before each next turn: nobody looks at a host for nothing. */
  readonly isWanted: () => boolean
  readonly after: (milliseconds: number, work: () => void) => () => void
}): HostWatch {
  const { host, survey, refresh, look, onChange, isWanted, after } = options
  let open: Promise<SurveyedHost> | undefined
  let seen: ObservedHost | undefined
  let isClosed = false
  let isLooking = false
  let stop: () => void = () => {}

  const connect = async (): Promise<SurveyedHost> => {
    const result = await survey().catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error
      // It ends a run; here it is the trouble of one host, and of nothing else.
      const fix = 'Start `muster dashboard` again.'
      throw new AwayError({
        host,
        failure: { code: 'not-surveyed', message: error.message, fix },
        unreachable: false,
      })
    })
    if ('failure' in result) throw new AwayError(result)
    if (isClosed) {
      await result.transport.close()
      throw new AwayError({
        host,
        failure: failureOf(new Error('the dashboard has ended')),
        unreachable: false,
      })
    }
    return result
  }

  const surveyed = (): Promise<SurveyedHost> => {
    if (open !== undefined) return open
    const opening = connect()
    open = opening
    opening.catch(() => {
      if (open === opening) open = undefined
    })
    return opening
  }

  const disconnect = async (): Promise<void> => {
    const closing = open
    open = undefined
    await closing?.then(({ transport }) => transport.close()).catch(() => {})
  }

  /** Closes this connection, where no other one came in its place meanwhile. */
  async function disconnectFrom({ transport }: SurveyedHost): Promise<void> {
    const current = await open?.catch(() => undefined)
    if (current?.transport === transport) await disconnect()
  }

  async function turn(): Promise<void> {
    const before = open
    let current: SurveyedHost | undefined
    try {
      current = await surveyed()
      if (before !== undefined) {
        current = await refresh(current)
        if (open === before) open = Promise.resolve(current)
      }
      seen = await look(current)
    } catch (error) {
      const away = error instanceof AwayError ? error.away : undefined
      const failure = away?.failure ?? failureOf(error)
      if (away === undefined && current !== undefined) await disconnectFrom(current)
      const state = away !== undefined && !away.unreachable ? 'failed' : 'unreachable'
      seen = unreachableStatus(host, state, failure.message)
    }
  }

  async function run(): Promise<void> {
    if (isLooking || isClosed) return
    isLooking = true
    stop()
    stop = after(watchIntervals.late, () => {
      const detail = `it has not responded for ${watchIntervals.late / 1000} s`
      seen = unreachableStatus(host, 'failed', detail)
      onChange()
    })
    await turn()
    stop()
    isLooking = false
    if (isClosed) return
    onChange()
    if (!isWanted()) return
    stop = after(seen?.status.state === 'up' ? watchIntervals.well : watchIntervals.away, () => void run())
  }

  return {
    host,
    seen: () => seen,
    surveyed,
    failed: ({ surveyed: on, error }) => {
      if (error instanceof TransportError) void disconnectFrom(on).then(run)
    },
    lookNow: () => void run(),
    close: async () => {
      isClosed = true
      stop()
      await disconnect()
    },
  }
}
