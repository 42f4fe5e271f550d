import type { Routing } from '../../contracts/routing.ts'
import type { Clock } from '../clock.ts'
import { readRouting } from '../readRouting.ts'

/** One attempt to follow: reads events until the stream ends, and resolves to why it did. */
export type OpenStream = (onEvent: (data: string) => void, signal: AbortSignal) => Promise<Error>

/** Since when a manager does not answer, and why. */
export type LinkProblem = { readonly since: Date; readonly reason: string }

/** Connection of the connector to one manager. */
export type ManagerLink = {
  /** Returns the manager's word; undefined while it is not connected. */
  routing(): Routing | undefined
  /** Returns undefined while the manager answers. */
  problem(): LinkProblem | undefined
  /** Settles after the first attempt, whether it succeeded or not. */
  readonly asked: Promise<void>
  /** Settles after one more attempt, begun from now on; the manager's word as it was then is known if it answered. */
  askNow(): Promise<void>
  stop(): void
}

/** Milliseconds from a lost stream to the next attempt: doubled with each in vain. */
const reconnecting = { shortest: 200, longest: 2000 } as const

type Attempt = { readonly stop: AbortController; readonly settled: Promise<void> }

/** Follows the stream of a manager; one that is lost is opened anew. */
export function followManager(options: {
  readonly open: OpenStream
  readonly clock: Clock
  /** Called with each change of its word, and when that is lost. */
  readonly onChange: () => void
}): ManagerLink {
  const { open, clock, onChange } = options
  let routing: Routing | undefined
  let problem: LinkProblem | undefined
  /** The stream whose events count, and the one that is to take its place. */
  let active: Attempt | undefined
  let next: Attempt | undefined
  let cancelRetry: (() => void) | undefined
  let pause: number = reconnecting.shortest
  let isStopped = false
  let latest = ''

  function lose(reason: string): void {
    const isNew = problem === undefined
    problem = { since: problem?.since ?? clock.now(), reason }
    routing = undefined
    latest = ''
    if (isNew) onChange()
  }

  function retry(): void {
    if (active || next || isStopped) return
    cancelRetry?.()
    cancelRetry = clock.after(pause, start)
    pause = Math.min(2 * pause, reconnecting.longest)
  }

  function take(attempt: Attempt, data: string): void {
    if (attempt !== active && attempt !== next) return
    const word = data === latest ? routing : readRouting(data)
    if (!word) {
      attempt.stop.abort('it sends something else than what to route by')
      return
    }
    if (attempt === next) {
      active?.stop.abort()
      active = next
      next = undefined
      pause = reconnecting.shortest
    }
    problem = undefined
    if (data === latest) return
    latest = data
    routing = word
    onChange()
  }

  function start(): Attempt {
    cancelRetry?.()
    cancelRetry = undefined
    const stop = new AbortController()
    let settle: () => void = () => undefined
    const attempt: Attempt = {
      stop,
      settled: new Promise((resolve) => {
        settle = resolve
      }),
    }
    next = attempt
    const onEvent = (data: string): void => {
      take(attempt, data)
      settle()
    }
    void open(onEvent, stop.signal).then((error) => {
      settle()
      if (attempt !== active && attempt !== next) return
      if (attempt === active) active = undefined
      else next = undefined
      if (!isStopped && !active) lose(stop.signal.aborted ? String(stop.signal.reason) : error.message)
      retry()
    })
    return attempt
  }

  let queued: Promise<void> | undefined
  /** One attempt at a time; who asks while one is under way shares the one after it. */
  function askNow(): Promise<void> {
    if (!next) return start().settled
    queued ??= next.settled.then(() => {
      queued = undefined
      return start().settled
    })
    return queued
  }

  const asked = start().settled
  return {
    routing: () => routing,
    problem: () => problem,
    asked,
    askNow,
    stop: () => {
      isStopped = true
      cancelRetry?.()
      active?.stop.abort()
      next?.stop.abort()
    },
  }
}
