import type { Transport } from '../../transport/transport.ts'
import type { Emit, Failure, Phase } from '../events.ts'
import { failureOf, isUnreachable } from '../hostFailure.ts'
import type { PlannedStep } from '../hostPlan.ts'
import type { Restored, Snapshot } from '../snapshot/snapshot.ts'
import type { StepPhase } from '../step.ts'

/** Work of a run on one host. */
export type HostWork = {
  readonly host: string
  readonly transport: Transport
  readonly steps: readonly PlannedStep[]
  /** Runs last, even without changes; returns a short summary of what was verified. */
  readonly verify?: (transport: Transport) => Promise<string>
  /** Absent: a host that fails keeps its changes. */
  readonly snapshot?: Snapshot
  /** Leaves a failed host as it is, for inspection. */
  readonly keepFailed?: boolean
  /** Begins once every other host has ended, and only if none failed. */
  readonly last?: true
}

/** Progress of a run on one host. */
export type HostProgress = {
  readonly work: HostWork
  readonly applied: string[]
  /** Steps of the commit phase that started; empty again after verification. */
  readonly started: PlannedStep[]
  readonly seconds: Partial<Record<Phase, number>>
  failure?: Failure
  unreachable?: boolean
  undone?: boolean
  proved?: string
}

export const initialProgress = (work: HostWork): HostProgress => ({
  work,
  applied: [],
  started: [],
  seconds: {},
})

/** One phase of a host, with what it reports to; the clock counts milliseconds. */
type PhaseRun = {
  readonly progress: HostProgress
  readonly phase: StepPhase
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly clock: () => number
}

/**
 * Runs one phase on one host: its steps in order; in `verify`, the verification comes first. Never rejects: a failure
 * is recorded, and the started steps are restored, newest first. An abort stops after the current batch of steps.
 */
export async function runPhase(options: PhaseRun): Promise<void> {
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

/** Handles a host that failed: restores it, unless it is unreachable or kept for inspection. */
async function afterFailure(
  options: { progress: HostProgress; phase: StepPhase; emit: Emit; clock: () => number },
  failure: Failure,
): Promise<Failure> {
  const { progress, phase, emit, clock } = options
  const { work, started, unreachable } = progress
  // Leftovers of an interrupted run are not verified either.
  const leftover = phase === 'verify' && progress.proved === undefined && work.snapshot?.leftover === true
  if (started.length === 0 && !leftover) return failure
  if (unreachable === true) {
    return appendToFailure(
      failure,
      work.snapshot?.confirm === undefined
        ? 'The host is unreachable, so its changes were not undone. The next run continues there.'
        : 'The host is unreachable. It goes back by itself when the time of --confirm-within is over, unless a new run takes over before.',
    )
  }
  if (work.keepFailed === true) {
    return appendToFailure(
      failure,
      'The changes were not undone (--keep-failed). Inspect the host with `muster status` and `muster logs`. The next run continues from here. If it fails without --keep-failed, the host is restored to its previous state.',
    )
  }
  const restored = await restoreHost({ work, started, failure, emit, clock })
  progress.undone = restored.undone
  return restored.failure
}

async function verify(progress: HostProgress): Promise<void> {
  const { verify: runVerification, transport, snapshot } = progress.work
  const proved = await runVerification?.(transport)
  const changed = progress.started.length > 0
  if (changed) await snapshot?.confirm?.(transport)
  progress.started.length = 0
  if (proved !== undefined) progress.proved = proved
  const taken = changed && snapshot?.take !== undefined
  if (taken || snapshot?.leftover === true) await snapshot?.discard?.(transport)
}

async function applySteps(options: PhaseRun): Promise<void> {
  const { progress, phase, emit, signal, clock } = options
  const { host, steps, transport, snapshot } = progress.work
  const due = steps.filter(({ step }) => step.phase === phase)
  // The snapshot is taken before the first change of a host, if possible in the same round trip.
  let take = phase === 'commit' ? snapshot?.take : undefined
  for (const batch of transport.chain === undefined ? due.map((planned) => [planned]) : batchesOf(due)) {
    if (signal.aborted) return
    const together = batch.length > 1 || (take !== undefined && batch[0]?.step.batchable === true)
    const to = together ? (transport.chain?.() ?? transport) : transport
    const sent: Promise<void>[] = []
    for (const [index, planned] of batch.entries()) {
      const { step, change } = planned
      const began = clock()
      const named = { host, step: step.id, title: change.summary }
      emit({ type: 'step-started', ...named })
      if (index === 0) {
        const taken = take?.(to)
        if (to === transport) await taken
        sent.push(...batch.map((one) => one.step.apply(to)))
        // A failure ends the batch: the host skips the steps that follow.
        for (const one of sent) one.catch(() => undefined)
        await taken
        take = undefined
      }
      if (phase === 'commit') progress.started.push(planned)
      await sent[index]
      progress.applied.push(change.summary)
      emit({ type: 'step-done', ...named, seconds: (clock() - began) / 1000 })
    }
  }
}

/** Groups neighbouring batchable steps, which are sent to the host together. */
function batchesOf(steps: readonly PlannedStep[]): readonly (readonly PlannedStep[])[] {
  const batches: PlannedStep[][] = []
  for (const planned of steps) {
    const last = batches.at(-1)
    const joins = planned.step.batchable === true && last?.at(-1)?.step.batchable === true
    if (joins) last?.push(planned)
    else batches.push([planned])
  }
  return batches
}

type RestoreOptions = {
  readonly work: HostWork
  /** Oldest first. */
  readonly started: readonly PlannedStep[]
  readonly failure: Failure
  readonly emit: Emit
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}

/** Failure with the result of the restore; `undone` if all changes were restored. */
type RestoreResult = { readonly failure: Failure; readonly undone: boolean }

/**
 * Restores the snapshot of a host and adds the result to the failure that caused it. An abort does not interrupt it.
 */
async function restoreHost(options: RestoreOptions): Promise<RestoreResult> {
  const { work, failure, emit, clock } = options
  const restore = restoreAction(options)
  if (restore === undefined) return { failure, undone: false }
  const began = clock()
  let restored: Restored
  try {
    restored = await restore.run(work.transport)
  } catch (error) {
    const { message, fix } = failureOf(error)
    const titles = restore.parts.map(({ title }) => title).join(', ')
    return {
      failure: { ...appendToFailure(failure, `Undoing “${titles}” also failed: ${message}`), fix },
      undone: false,
    }
  }
  if (typeof restored === 'object')
    return { failure: appendToFailure(failure, restored.partial), undone: false }
  const seconds = (clock() - began) / 1000
  for (const { step, title } of restore.parts) {
    emit({ type: 'step-undone', host: work.host, step, title, seconds })
  }
  return { failure: appendToFailure(failure, restored), undone: true }
}

/** One restore, with the names under which it is reported, newest first. */
type RestoreAction = {
  readonly parts: readonly { readonly step: string; readonly title: string }[]
  readonly run: (transport: Transport) => Promise<Restored>
}

function restoreAction({ work, started }: RestoreOptions): RestoreAction | undefined {
  const { restore, restoreSteps } = work.snapshot ?? {}
  if (restore !== undefined) return { parts: [{ step: 'before', title: 'all changes' }], run: restore }
  if (restoreSteps === undefined || started.length === 0) return undefined
  const parts = started.toReversed().map(({ step, change }) => ({ step: step.id, title: change.summary }))
  return {
    parts,
    run: async (transport) => {
      const ids = parts.map(({ step }) => step)
      await restoreSteps(transport, ids)
      return `Undone: ${parts.map(({ title }) => title).join(', ')}.`
    },
  }
}

/** Adds sentences to a failure, each on its own line. */
const appendToFailure = (failure: Failure, ...words: readonly string[]): Failure => ({
  ...failure,
  message: [failure.message, ...words].join('\n'),
})
