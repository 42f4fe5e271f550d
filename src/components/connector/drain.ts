import type { Clock } from '../clock.ts'
import type { Targets } from './targets.ts'

/** Grace period in which connections may end by themselves before they are cut. Times in milliseconds. */
type Drain = {
  /** Cuts after that time what is left then; an earlier time no longer counts. */
  start(milliseconds: number): void
  /** Cancels the cut. */
  cancel(): void
  /** To be called after connections ended: without one left, the drain is over. */
  finishIfIdle(): void
  /** Calls back when no connection is left at a call of `finishIfIdle`. */
  onIdle(then: () => void): void
  /** Until connections are cut; undefined where none are to be. */
  remaining(): number | undefined
}

/** One at a time, of all connections to the targets. */
export function createDrain({ targets, clock }: { readonly targets: Targets; readonly clock: Clock }): Drain {
  let cutAt: number | undefined
  let cancelCut: (() => void) | undefined
  let allGone: (() => void) | undefined

  function cancel(): void {
    cancelCut?.()
    cancelCut = undefined
    cutAt = undefined
  }

  return {
    start: (milliseconds) => {
      cancel()
      cutAt = clock.elapsed() + milliseconds
      cancelCut = clock.after(milliseconds, () => targets.cutAll())
    },
    cancel,
    finishIfIdle: () => {
      if (targets.active() > 0) return
      cancel()
      allGone?.()
    },
    onIdle: (then) => {
      allGone = then
    },
    remaining: () => (cutAt === undefined ? undefined : cutAt - clock.elapsed()),
  }
}
