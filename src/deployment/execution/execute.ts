import type { Emit, HostOutcome } from '../events.ts'
import { mapHosts } from '../mapHosts.ts'
import { type HostHooks, noHostHooks } from './hostHooks.ts'
import { type HostProgress, type HostWork, initialProgress, runPhase } from './hostRun.ts'
import { outcomeOf } from './outcome.ts'
import { allInParallel, type Rollout } from './rollout.ts'
import type { Wave } from './schedule.ts'
import { runWave, wavesOf } from './wave.ts'

/**
 * Executes the plans of all hosts. Every host stages first; if one fails, no host commits and nothing that runs was
 * changed. Then hosts commit and are verified in the waves of `rollout`. Once more hosts than allowed have failed, or
 * the canary, no other host starts; after any failure none of those that go last. A failed host is restored. An abort
 * stops each host after its current step.
 */
export async function execute(options: {
  readonly hosts: readonly HostWork[]
  /** Absent: all hosts at once. */
  readonly rollout?: Rollout
  /** Absent: none. */
  readonly hooks?: HostHooks
  /** Hosts in progress at a time. */
  readonly forks?: number | undefined
  readonly emit: Emit
  readonly signal: AbortSignal
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}): Promise<readonly HostOutcome[]> {
  const { rollout = allInParallel, forks, hooks = noHostHooks, emit, signal } = options
  const progresses = options.hosts.map(initialProgress)
  const failed = (): readonly HostProgress[] => progresses.filter(({ failure }) => failure !== undefined)
  await mapHosts({
    items: progresses,
    forks,
    map: async (progress) => {
      await runPhase({ ...options, progress, phase: 'stage' })
      if (progress.failure !== undefined) await hooks.failed(progress)
    },
  })
  if (failed().length > 0) return outcomes(progresses, stageFailed(failed()))
  const waves = wavesOf(options.hosts, rollout)
  let canaryFailed = false
  let halted = false
  let leavesLast = false
  const isLast = ({ hosts }: Wave): boolean =>
    options.hosts.some(({ host, last }) => last === true && hosts.includes(host))
  const tooMany = (): boolean => failed().length > rollout.maxFailed
  const isOver = (): boolean => signal.aborted || canaryFailed || halted || tooMany()
  for (const [index, wave] of waves.entries()) {
    leavesLast = isLast(wave) && failed().length > 0
    if (isOver() || leavesLast) break
    emit({ type: 'wave-started', wave: index + 1, of: waves.length, ...wave })
    ;({ halted } = await runWave({
      ...options,
      hooks,
      rollout,
      wave,
      progresses,
      isOver,
    }))
    canaryFailed = wave.canary && failed().length > 0
  }
  if (canaryFailed) return outcomes(progresses, afterCanary(failed()))
  if (halted) return outcomes(progresses, afterStop(failed()))
  if (tooMany()) return outcomes(progresses, afterTooMany(failed(), rollout))
  return outcomes(progresses, leavesLast ? `${namesOf(failed())} failed` : undefined)
}

const outcomes = (progresses: readonly HostProgress[], why: string | undefined): readonly HostOutcome[] =>
  progresses.map((progress) => {
    const outcome = outcomeOf(progress)
    const isUnfinished = outcome.result === 'not-started' || outcome.result === 'stopped'
    return isUnfinished && why !== undefined ? { ...outcome, reason: why } : outcome
  })

const namesOf = (progresses: readonly HostProgress[]): string =>
  progresses.map(({ work }) => work.host).join(', ')

const stageFailed = (failed: readonly HostProgress[]): string => `staging failed on ${namesOf(failed)}`

const afterCanary = (failed: readonly HostProgress[]): string => `the canary ${namesOf(failed)} failed`

const afterStop = (failed: readonly HostProgress[]): string =>
  `${namesOf(failed)} failed, and --on-failure is stop`

const afterTooMany = (failed: readonly HostProgress[], { maxFailed }: Rollout): string =>
  `${namesOf(failed)} failed${maxFailed === 0 ? '' : `, more than --max-failed ${maxFailed} allows`}`
