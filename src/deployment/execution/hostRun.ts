import type { Transport } from '../../transport/transport.ts'
import type { Emit, Failure, HostOutcome, Phase } from '../events.ts'
import { failureOf, isUnreachable } from '../failure.ts'
import type { PlannedStep } from '../preview.ts'
import type { StepPhase } from '../step.ts'
import { undoSteps } from './undo.ts'

/** What a run has to do on one host. */
export type HostWork = {
  readonly host: string
  readonly transport: Transport
  readonly steps: readonly PlannedStep[]
  /** Run last, also where nothing changes; says in a few words what it has proved. */
  readonly verify?: (transport: Transport) => Promise<string>
}

/** How far one host of a run has come. */
export type HostProgress = {
  readonly work: HostWork
  readonly applied: string[]
  /** Steps of commit that were begun; empty again once the proof is there. */
  readonly begun: PlannedStep[]
  readonly seconds: Partial<Record<Phase, number>>
  failure?: Failure
  unreachable?: boolean
  proved?: string
}

export const atStart = (work: HostWork): HostProgress => ({ work, applied: [], begun: [], seconds: {} })

/**
 * Brings one host through one phase: its steps in order, after the proof in `verify`. Never rejects: a failure
 * is kept, and what was begun is undone, newest first. An abort stops after the current step and those that travel with it.
 */
export async function runPhase(options: {
  readonly progress: HostProgress
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

async function verify(progress: HostProgress): Promise<void> {
  const { verify: prove, transport } = progress.work
  const proved = await prove?.(transport)
  progress.begun.length = 0
  if (proved !== undefined) progress.proved = proved
}

async function applySteps(options: {
  readonly progress: HostProgress
  readonly phase: StepPhase
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly clock: () => number
}): Promise<void> {
  const { progress, phase, emit, signal, clock } = options
  const { host, steps, transport } = progress.work
  const due = steps.filter(({ step }) => step.phase === phase)
  for (const flight of transport.chain === undefined ? due.map((planned) => [planned]) : flightsOf(due)) {
    if (signal.aborted) return
    const to = flight.length > 1 ? (transport.chain?.() ?? transport) : transport
    const sent: Promise<void>[] = []
    for (const [index, planned] of flight.entries()) {
      const { step, change } = planned
      const began = clock()
      const told = { host, step: step.id, title: change.summary }
      emit({ type: 'step-started', ...told })
      if (phase === 'commit') progress.begun.push(planned)
      if (index === 0) sent.push(...flight.map((one) => one.step.apply(to)))
      // A failure ends the flight: the host leaves out what is behind it.
      for (const one of sent) one.catch(() => undefined)
      await sent[index]
      progress.applied.push(change.summary)
      emit({ type: 'step-done', ...told, seconds: (clock() - began) / 1000 })
    }
  }
}

/** Steps that travel together: neighbours that say all they have to say at once. */
function flightsOf(steps: readonly PlannedStep[]): readonly (readonly PlannedStep[])[] {
  const flights: PlannedStep[][] = []
  for (const planned of steps) {
    const last = flights.at(-1)
    const joins = planned.step.atOnce === true && last?.at(-1)?.step.atOnce === true
    if (joins) last?.push(planned)
    else flights.push([planned])
  }
  return flights
}

/** How the host came out of the run. */
export function outcomeOf(progress: HostProgress): HostOutcome {
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

function resultOf({ work, applied, seconds, failure, unreachable }: HostProgress): HostOutcome['result'] {
  if (failure !== undefined) return unreachable === true ? 'unreachable' : 'failed'
  if (seconds.commit === undefined && work.steps.length > 0) return 'not-started'
  return applied.length > 0 ? 'changed' : 'unchanged'
}
