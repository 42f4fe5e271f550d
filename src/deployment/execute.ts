import type { Transport } from '../transport/transport.ts'
import type { Emit, Failure, HostOutcome, Phase } from './events.ts'
import { failureOf, isUnreachable } from './failure.ts'
import { mapLimit } from './mapLimit.ts'
import type { PlannedStep } from './preview.ts'
import type { StepPhase } from './step.ts'
import { undoSteps } from './undo.ts'

/** Hosts that are worked on at once (deployment.md, "Two limits"). */
export const hostsAtOnce = 30

/** What a run has to do on one host. */
export type HostWork = {
  readonly host: string
  readonly transport: Transport
  readonly steps: readonly PlannedStep[]
  /** Run last, also where nothing changes; says in a few words what it has proved. */
  readonly verify?: (transport: Transport) => Promise<string>
}

type Progress = {
  readonly work: HostWork
  readonly applied: string[]
  /** Steps of commit that were begun; empty again once the proof is there. */
  readonly begun: PlannedStep[]
  readonly seconds: Partial<Record<Phase, number>>
  failure?: Failure
  unreachable?: boolean
  proved?: string
}

/**
 * Carries out the plans of all hosts: every host stages, then every host commits, then every host is
 * verified. When staging fails on one host, no host commits: nothing that is running has been touched. One
 * host's failure in a later phase never ends another's work; what was begun there is undone, newest first.
 * An abort stops each host after its current step.
 */
export async function execute(options: {
  readonly hosts: readonly HostWork[]
  readonly emit: Emit
  readonly signal: AbortSignal
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}): Promise<readonly HostOutcome[]> {
  const progresses = options.hosts.map((work): Progress => ({ work, applied: [], begun: [], seconds: {} }))
  for (const phase of ['stage', 'commit', 'verify'] as const) {
    if (phase === 'verify' && progresses.every(({ work }) => work.verify === undefined)) break
    if (phase === 'commit' && progresses.some((progress) => progress.failure !== undefined)) break
    await mapLimit({
      items: progresses.filter((progress) => progress.failure === undefined),
      limit: hostsAtOnce,
      map: (progress) => runPhase({ ...options, progress, phase }),
    })
    if (options.signal.aborted) break
  }
  return progresses.map(outcomeOf)
}

async function runPhase(options: {
  readonly progress: Progress
  readonly phase: StepPhase
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly clock: () => number
}): Promise<void> {
  const { progress, phase, emit, clock } = options
  const { host } = progress.work
  const began = clock()
  emit({ type: 'phase-started', host, phase })
  try {
    if (phase === 'verify') await verify(progress)
    await applySteps({ ...options, phase })
  } catch (error) {
    progress.unreachable = isUnreachable(error)
    const { transport } = progress.work
    const told = { host, transport, begun: progress.begun, emit, clock, failure: failureOf(error) }
    const failure = progress.unreachable ? told.failure : await undoSteps(told)
    progress.failure = failure
    emit({ type: 'host-failed', host, failure })
  }
  progress.seconds[phase] = (clock() - began) / 1000
  emit({ type: 'phase-done', host, phase, seconds: progress.seconds[phase] })
}

async function verify(progress: Progress): Promise<void> {
  const { verify: prove, transport } = progress.work
  const proved = await prove?.(transport)
  progress.begun.length = 0
  if (proved !== undefined) progress.proved = proved
}

async function applySteps(options: {
  readonly progress: Progress
  readonly phase: StepPhase
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly clock: () => number
}): Promise<void> {
  const { progress, phase, emit, signal, clock } = options
  const { host, steps, transport } = progress.work
  for (const planned of steps.filter(({ step }) => step.phase === phase)) {
    if (signal.aborted) return
    const { step, change } = planned
    const began = clock()
    const told = { host, step: step.id, title: change.summary }
    emit({ type: 'step-started', ...told })
    if (phase === 'commit') progress.begun.push(planned)
    await step.apply(transport)
    progress.applied.push(change.summary)
    emit({ type: 'step-done', ...told, seconds: (clock() - began) / 1000 })
  }
}

function outcomeOf(progress: Progress): HostOutcome {
  const { work, applied, seconds, failure, proved } = progress
  return {
    host: work.host,
    result: resultOf(progress),
    applied,
    seconds,
    ...(failure === undefined ? {} : { failure }),
    ...(proved === undefined ? {} : { proved }),
  }
}

function resultOf({ work, applied, seconds, failure, unreachable }: Progress): HostOutcome['result'] {
  if (failure !== undefined) return unreachable === true ? 'unreachable' : 'failed'
  if (seconds.commit === undefined && work.steps.length > 0) return 'not-started'
  return applied.length > 0 ? 'changed' : 'unchanged'
}
