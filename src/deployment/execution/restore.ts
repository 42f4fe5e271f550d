import type { Transport } from '../../transport/transport.ts'
import type { Emit, Failure } from '../events.ts'
import { failureOf } from '../failure.ts'
import type { PlannedStep } from '../hostPlan.ts'
import type { Restored } from '../snapshot/snapshot.ts'
import type { HostWork } from './hostRun.ts'

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
export type Undone = { readonly failure: Failure; readonly undone: boolean }

/**
 * Restores the snapshot of a host and tells it in the failure that led here. Nobody can stop it half-way but by ending
 * the program.
 */
export async function restoreHost(options: Restoring): Promise<Undone> {
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
export const withWords = (failure: Failure, ...words: readonly string[]): Failure => ({
  ...failure,
  message: [failure.message, ...words].join('\n'),
})
