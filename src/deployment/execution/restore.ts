import type { Emit, Failure } from '../events.ts'
import { failureOf } from '../failure.ts'
import type { PlannedStep } from '../preview.ts'
import type { Restored } from '../snapshot/snapshot.ts'
import type { HostWork } from './hostRun.ts'

type Undoing = {
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
 * Takes back what a host's run has begun, newest first, then all that the steps cannot take back themselves,
 * and tells it in the failure that led here. It ends at the first step that cannot be taken back: the older
 * ones may depend on it. Nobody can stop it half-way but by ending the program.
 */
export async function takeBack(options: Undoing): Promise<Undone> {
  const { work, begun, failure } = options
  const { snapshot } = work
  const pieces: Piece[] = begun.toReversed().flatMap(({ step, change }) => {
    const { undo } = step
    return undo === undefined
      ? []
      : [{ id: step.id, title: change.summary, run: () => undo(work.transport).then(() => undefined) }]
  })
  const { restore } = snapshot ?? {}
  if (restore !== undefined) {
    pieces.push({ id: 'before', title: 'all that was changed', run: () => restore(work.transport) })
  }
  const undone: string[] = []
  let said: Restored | undefined
  for (const piece of pieces) {
    try {
      said = await runPiece(options, piece)
    } catch (error) {
      const { message, fix } = failureOf(error)
      const more = `Undoing “${piece.title}” failed, too: ${message}`
      return { failure: { ...withWords(failure, more), fix }, undone: false }
    }
    if (said === undefined) undone.push(piece.title)
  }
  const [words, whole] = typeof said === 'object' ? [said.partly, false] : [said, true]
  const sentences = [undone.length === 0 ? [] : `It was undone: ${undone.join(', ')}.`, words ?? []].flat()
  return { failure: withWords(failure, ...sentences), undone: pieces.length > 0 && whole }
}

/** One thing to take back; says what is so again where its title does not say enough. */
type Piece = {
  readonly id: string
  readonly title: string
  readonly run: () => Promise<Restored | undefined>
}

async function runPiece({ work, emit, clock }: Undoing, piece: Piece): Promise<Restored | undefined> {
  const { id: step, title, run } = piece
  const began = clock()
  const said = await run()
  if (typeof said === 'object') return said
  emit({ type: 'step-undone', host: work.host, step, title, seconds: (clock() - began) / 1000 })
  return said
}

/** The failure with further sentences, each on a line of its own. */
export const withWords = (failure: Failure, ...words: readonly string[]): Failure => ({
  ...failure,
  message: [failure.message, ...words].join('\n'),
})
