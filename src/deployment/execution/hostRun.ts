import type { Transport } from '../../transport/transport.ts'
import type { Emit, Failure, Phase } from '../events.ts'
import { failureOf, isUnreachable } from '../failure.ts'
import type { PlannedStep } from '../hostPlan.ts'
import type { Restored, Snapshot } from '../snapshot/snapshot.ts'
import type { StepPhase } from '../step.ts'

/** What a run has to do on one host. */
export type HostWork = {
  readonly host: string
  readonly transport: Transport
  readonly steps: readonly PlannedStep[]
  /** Run last, also where nothing changes; says in a few words what it has proved. */
  readonly verify?: (transport: Transport) => Promise<string>
  /** Absent: what a host that fails has done stays. */
  readonly snapshot?: Snapshot
  /** Leaves a host that fails as it is, for a look. */
  readonly keepFailed?: boolean
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
  undone?: boolean
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
    progress.failure = await afterFailure(options, failureOf(error))
    emit({ type: 'host-failed', host, failure: progress.failure })
  }
  progress.seconds[phase] = (clock() - began) / 1000
  emit({ type: 'phase-done', host, phase, seconds: progress.seconds[phase] })
}

/** Restores a host that failed, unless it is gone or is to be looked at; returns the failure with what became of it. */
async function afterFailure(
  options: { progress: HostProgress; phase: StepPhase; emit: Emit; clock: () => number },
  failure: Failure,
): Promise<Failure> {
  const { progress, phase, emit, clock } = options
  const { work, begun, unreachable } = progress
  // What a run before this one left half-way is not proved either.
  const leftover = phase === 'verify' && progress.proved === undefined && work.snapshot?.leftover === true
  if (begun.length === 0 && !leftover) return failure
  if (unreachable === true) {
    return withWords(failure, 'Nothing could be taken back there: it is gone. The next run goes on there.')
  }
  if (work.keepFailed === true) {
    return withWords(
      failure,
      'It was left as it is (--keep-failed): look at it with `muster status` and `muster logs`. The next run goes on from here; without --keep-failed it goes back to what ran before if it fails, too.',
    )
  }
  const restored = await restoreHost({ work, begun, failure, emit, clock })
  progress.undone = restored.undone
  return restored.failure
}

async function verify(progress: HostProgress): Promise<void> {
  const { verify: prove, transport, snapshot } = progress.work
  const proved = await prove?.(transport)
  const changed = progress.begun.length > 0
  progress.begun.length = 0
  if (proved !== undefined) progress.proved = proved
  const taken = changed && snapshot?.take !== undefined
  if (taken || snapshot?.leftover === true) await snapshot?.discard?.(transport)
}

async function applySteps(options: {
  readonly progress: HostProgress
  readonly phase: StepPhase
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly clock: () => number
}): Promise<void> {
  const { progress, phase, emit, signal, clock } = options
  const { host, steps, transport, snapshot } = progress.work
  const due = steps.filter(({ step }) => step.phase === phase)
  // The snapshot is taken before the first change of a host, and travels with that where it can.
  let take = phase === 'commit' ? snapshot?.take : undefined
  for (const flight of transport.chain === undefined ? due.map((planned) => [planned]) : flightsOf(due)) {
    if (signal.aborted) return
    const together = flight.length > 1 || (take !== undefined && flight[0]?.step.atOnce === true)
    const to = together ? (transport.chain?.() ?? transport) : transport
    const sent: Promise<void>[] = []
    for (const [index, planned] of flight.entries()) {
      const { step, change } = planned
      const began = clock()
      const told = { host, step: step.id, title: change.summary }
      emit({ type: 'step-started', ...told })
      if (index === 0) {
        const taken = take?.(to)
        if (to === transport) await taken
        sent.push(...flight.map((one) => one.step.apply(to)))
        // A failure ends the flight: the host leaves out what is behind it.
        for (const one of sent) one.catch(() => undefined)
        await taken
        take = undefined
      }
      if (phase === 'commit') progress.begun.push(planned)
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

type Restoring = {
  readonly work: HostWork
  /** Oldest first. */
  readonly begun: readonly PlannedStep[]
  readonly failure: Failure
  readonly emit: Emit
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}

/** The failure with what became of the host, and whether all that was changed there was taken back. */
type Undone = { readonly failure: Failure; readonly undone: boolean }

/**
 * Restores the snapshot of a host and tells it in the failure that led here. Nobody can stop it half-way but by ending
 * the program.
 */
async function restoreHost(options: Restoring): Promise<Undone> {
  const { work, failure, emit, clock } = options
  const restore = wayBack(options)
  if (restore === undefined) return { failure, undone: false }
  const began = clock()
  let restored: Restored
  try {
    restored = await restore.run(work.transport)
  } catch (error) {
    const { message, fix } = failureOf(error)
    const titles = restore.parts.map(({ title }) => title).join(', ')
    return {
      failure: { ...withWords(failure, `Undoing “${titles}” failed, too: ${message}`), fix },
      undone: false,
    }
  }
  if (typeof restored === 'object') return { failure: withWords(failure, restored.partly), undone: false }
  const seconds = (clock() - began) / 1000
  for (const { step, title } of restore.parts) {
    emit({ type: 'step-undone', host: work.host, step, title, seconds })
  }
  return { failure: withWords(failure, restored), undone: true }
}

/** What is restored, under the names by which it is told, newest first. */
type WayBack = {
  readonly parts: readonly { readonly step: string; readonly title: string }[]
  readonly run: (transport: Transport) => Promise<Restored>
}

function wayBack({ work, begun }: Restoring): WayBack | undefined {
  const { restore, restoreSteps } = work.snapshot ?? {}
  if (restore !== undefined)
    return { parts: [{ step: 'before', title: 'all that was changed' }], run: restore }
  if (restoreSteps === undefined || begun.length === 0) return undefined
  const parts = begun.toReversed().map(({ step, change }) => ({ step: step.id, title: change.summary }))
  return {
    parts,
    run: async (transport) => {
      const ids = parts.map(({ step }) => step)
      await restoreSteps(transport, ids)
      return `It was undone: ${parts.map(({ title }) => title).join(', ')}.`
    },
  }
}

/** The failure with further sentences, each on a line of its own. */
const withWords = (failure: Failure, ...words: readonly string[]): Failure => ({
  ...failure,
  message: [failure.message, ...words].join('\n'),
})
