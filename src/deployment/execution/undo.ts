import type { Transport } from '../../transport/transport.ts'
import type { Emit, Failure } from '../events.ts'
import { failureOf } from '../failure.ts'
import type { PlannedStep } from '../preview.ts'

/**
 * Takes back what a host's run has begun, newest first, and tells it in the failure that led here. It ends at
 * the first step that cannot be taken back: the older ones may depend on it.
 */
export async function undoSteps(options: {
  readonly host: string
  readonly transport: Transport
  /** Oldest first. */
  readonly begun: readonly PlannedStep[]
  readonly failure: Failure
  readonly emit: Emit
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}): Promise<Failure> {
  const { host, transport, begun, failure, emit, clock } = options
  const undone: string[] = []
  for (const { step, change } of begun.toReversed()) {
    if (step.undo === undefined) continue
    const began = clock()
    try {
      await step.undo(transport)
    } catch (error) {
      const { message, fix } = failureOf(error)
      return {
        ...failure,
        message: `${failure.message}\nUndoing “${change.summary}” failed, too: ${message}`,
        fix,
      }
    }
    undone.push(change.summary)
    emit({
      type: 'step-undone',
      host,
      step: step.id,
      title: change.summary,
      seconds: (clock() - began) / 1000,
    })
  }
  if (undone.length === 0) return failure
  return { ...failure, message: `${failure.message}\nIt was undone: ${undone.join(', ')}.` }
}
