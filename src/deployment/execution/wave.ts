import { createSemaphore } from '../../base/concurrency.ts'
import { failureOf } from '../hostFailure.ts'
import { mapHosts, maxParallelHosts } from '../mapHosts.ts'
import type { HostHooks } from './hostHooks.ts'
import { type HostProgress, type HostWork, runPhase } from './hostRun.ts'
import type { Rollout } from './rollout.ts'
import { scheduleOf, type Wave } from './schedule.ts'

/** Returns the waves with the steps of their hosts; hosts whose connectors drain take turns. */
export const wavesOf = (
  hosts: readonly Pick<HostWork, 'host' | 'steps' | 'last'>[],
  rollout: Rollout,
): readonly Wave[] =>
  scheduleOf(
    hosts.map(({ host, steps, last }) => ({
      host,
      changes: steps.length > 0,
      inTurn: steps.some(({ change }) => change.drains !== undefined),
      ...(last && { last }),
    })),
    rollout,
  )

/**
 * Commits and verifies the hosts of one wave. Hosts of `inTurn` start one after another, each once the one before is
 * verified, and none once `isOver` returns true. Never rejects for a host's failure. Returns true if such a failure
 * stopped hosts between two steps; a host without remaining steps is still verified.
 */
export async function runWave(
  options: Omit<Parameters<typeof runPhase>[0], 'progress' | 'phase'> & {
    readonly wave: Wave
    readonly progresses: readonly HostProgress[]
    readonly rollout: Rollout
    readonly hooks: HostHooks
    readonly forks?: number | undefined
    readonly isOver: () => boolean
  },
): Promise<{ readonly halted: boolean }> {
  const { wave, rollout, hooks, forks, isOver } = options
  const halt = new AbortController()
  const between = AbortSignal.any([options.signal, halt.signal])
  const commitWithHooks = async (progress: HostProgress): Promise<void> => {
    const { host, steps } = progress.work
    if (steps.length > 0 && !(await beforeHost(progress))) return
    await runPhase({ ...options, progress, phase: 'commit', signal: between })
    const goesOn = progress.failure === undefined && !options.signal.aborted && !hasStepsLeft(progress)
    if (goesOn && progress.work.verify !== undefined) {
      await runPhase({ ...options, progress, phase: 'verify' })
    }
    if (progress.failure !== undefined) await hooks.failed(progress)
    else if (goesOn && steps.length > 0) await hooks.after(host, steps.length)
  }
  /** Returns false if the host must not be started. */
  const beforeHost = async (progress: HostProgress): Promise<boolean> => {
    const { host, steps } = progress.work
    try {
      await hooks.before(host, steps.length)
      return !between.aborted
    } catch (error) {
      // Whoever stops the run stops the hook with it; the host was not started.
      if (options.signal.aborted) return false
      progress.failure = failureOf(error)
      options.emit({ type: 'host-failed', host, failure: progress.failure })
      await hooks.failed(progress)
      return false
    }
  }
  /** Those in turn and the others share the forks. */
  const withSlot = createSemaphore(forks ?? maxParallelHosts)
  const commitAndVerify = (progress: HostProgress): Promise<void> =>
    withSlot(async () => {
      if (between.aborted) return
      await commitWithHooks(progress)
      if (progress.failure !== undefined && rollout.onFailure === 'stop') halt.abort()
    })
  const of = (inTurn: boolean): readonly HostProgress[] =>
    options.progresses.filter(
      ({ work: { host } }) => wave.hosts.includes(host) && wave.inTurn.includes(host) === inTurn,
    )
  const commitInTurn = async (): Promise<void> => {
    for (const progress of of(true)) {
      if (isOver()) return
      await commitAndVerify(progress)
    }
  }
  await Promise.all([commitInTurn(), mapHosts({ items: of(false), forks, map: commitAndVerify })])
  return { halted: halt.signal.aborted }
}

const hasStepsLeft = ({ work, applied }: HostProgress): boolean =>
  applied.length < work.steps.filter(({ step }) => step.phase !== 'verify').length
