import type { Manager } from '../createManager.ts'
import type { ManagerLog } from '../serviceAssessments.ts'
import type { SwitchOrder } from './executeSwitch.ts'
import type { Timing } from './runSwitch.ts'
import { sentence } from './switchProblems.ts'

/** Milliseconds by which the manager of the next candidate begins later. */
const turn = 500

/** Milliseconds between two attempts of a manager. */
const pause = { shortest: 100, longest: 5_000 } as const

/** Attempts of a manager to replace one lost primary. */
type Attempts = {
  readonly lost: string
  next: number
  pause: number
  isRunning: boolean
  told: string | null
}

/**
 * Replaces lost primaries without a person where the manager's decision allows it: the manager of each candidate tries to make
 * its own server the primary, one after the other, until one of them is. Returns the way to stop that.
 */
export function failOverByItself(means: {
  readonly manager: Manager
  readonly start: (order: SwitchOrder) => Promise<unknown>
  readonly timing: Timing
  readonly log: ManagerLog
}): () => void {
  const { manager, start, timing, log } = means
  const attempts = new Map<string, Attempts>()
  let isStopped = false

  async function attempt(service: string, to: string, it: Attempts): Promise<void> {
    it.isRunning = true
    try {
      await start({
        ...{ operation: 'failover', service, to, by: 'manager' },
        id: undefined,
        accepted: new Set(),
      })
      it.told = null
    } catch (error) {
      const problem = sentence(error)
      if (problem !== it.told) log.warn({ service, to, problem }, 'does not replace the lost primary yet')
      it.told = problem
    } finally {
      it.isRunning = false
      it.next = timing.now() + it.pause
      it.pause = Math.min(2 * it.pause, pause.longest)
    }
    manager.noteFailover(service, it.told)
    if (it.told === null) return
    // Another manager may be some milliseconds behind, and the next check is far.
    await timing.wait(it.next - timing.now())
    if (!isStopped) look()
  }

  function look(): void {
    for (const { name: service } of manager.map().services) {
      const { lost, candidates, reasons } = manager.failover(service)
      const to = manager.ownSource(service)?.name
      const place = to === undefined ? -1 : candidates.indexOf(to)
      if (lost === null) attempts.delete(service)
      if (lost === null || to === undefined || place === -1 || reasons.length > 0) continue
      let it = attempts.get(service)
      if (it?.lost !== lost) {
        it = { lost, next: timing.now() + place * turn, pause: pause.shortest, isRunning: false, told: null }
        attempts.set(service, it)
      }
      if (it.isRunning || timing.now() < it.next || manager.holdOf(service)?.isInForce) continue
      attempt(service, to, it).catch((error: unknown) => log.error({ err: error }, 'a fault of the failover'))
    }
  }

  const forget = manager.onUpdate(look)
  return () => {
    isStopped = true
    forget()
  }
}
