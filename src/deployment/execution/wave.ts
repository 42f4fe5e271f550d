import { mapLimit } from '../mapLimit.ts'
import { type HostProgress, type HostWork, runPhase } from './hostRun.ts'
import type { Rollout } from './rollout.ts'
import { scheduleOf, type Wave } from './schedule.ts'

/** The waves of hosts with their steps; those whose connectors drain take turns. */
export const wavesOf = (
  hosts: readonly Pick<HostWork, 'host' | 'steps'>[],
  rollout: Rollout,
): readonly Wave[] =>
  scheduleOf(
    hosts.map(({ host, steps }) => ({
      host,
      changes: steps.length > 0,
      inTurn: steps.some(({ change }) => change.drains !== undefined),
    })),
    rollout,
  )

/**
 * Brings the hosts of one wave through commit and proof. Those that go in turn begin one after another, each
 * when the one before it is proved, and none once `isOver` says that enough have failed. Never rejects for a
 * host's failure; a host that a failure elsewhere stopped half-way is told as failed.
 */
export async function runWave(
  options: Omit<Parameters<typeof runPhase>[0], 'progress' | 'phase'> & {
    readonly wave: Wave
    readonly progresses: readonly HostProgress[]
    readonly rollout: Rollout
    readonly atOnce: number
    readonly isOver: () => boolean
  },
): Promise<void> {
  const { wave, rollout, atOnce, isOver, emit, clock } = options
  const halt = new AbortController()
  const signal = AbortSignal.any([options.signal, halt.signal])
  let culprit = ''
  const bring = async (progress: HostProgress): Promise<void> => {
    if (signal.aborted) return
    for (const phase of ['commit', 'verify'] as const) {
      if (phase === 'verify' && progress.work.verify === undefined) return
      await runPhase({ progress, phase, emit, signal, clock })
      if (progress.failure !== undefined && rollout.onFailure === 'stop' && !halt.signal.aborted) {
        culprit = progress.work.host
        halt.abort()
      }
      if (progress.failure !== undefined) return
      if (options.signal.aborted) return
      if (halt.signal.aborted && isHalfDone(progress)) {
        const failure = halted(culprit)
        progress.failure = failure
        emit({ type: 'host-failed', host: progress.work.host, failure })
        return
      }
    }
  }
  const of = (inTurn: boolean): readonly HostProgress[] =>
    options.progresses.filter(
      ({ work: { host } }) => wave.hosts.includes(host) && wave.inTurn.includes(host) === inTurn,
    )
  const oneAfterAnother = async (): Promise<void> => {
    for (const progress of of(true)) {
      if (isOver()) return
      await bring(progress)
    }
  }
  await Promise.all([mapLimit({ items: of(false), limit: atOnce, map: bring }), oneAfterAnother()])
}

const isHalfDone = ({ work, applied }: HostProgress): boolean =>
  applied.length < work.steps.filter(({ step }) => step.phase !== 'verify').length

const halted = (culprit: string): NonNullable<HostProgress['failure']> => ({
  code: 'stopped-half-way',
  message: `stopped between two steps, since ${culprit} failed and --on-failure is stop`,
  fix: `Mend what is told of ${culprit} and run the same again: this host goes on where it stopped.`,
})
