import type { Transport } from '../transport/transport.ts'
import { TransportError } from '../transport/transportError.ts'

/**
 * Asks a host for several things that hang together in one round trip, where its transport can; each is done only if
 * those before it went well. `ask` must hand over everything at once. Rejects with the first failure, when all
 * are answered.
 */
export async function batchSteps(
  transport: Transport,
  ask: (to: Transport) => readonly Promise<unknown>[],
): Promise<void> {
  const answers = await Promise.allSettled(ask(transport.chain?.() ?? transport))
  const failures = answers.flatMap((answer): unknown[] =>
    answer.status === 'rejected' ? [answer.reason] : [],
  )
  const first = failures.find((error) => !wasNotRun(error)) ?? failures[0]
  if (first !== undefined) throw first
}

/** Whether something was left undone only because another thing before it had failed. */
const wasNotRun = (error: unknown): boolean => error instanceof TransportError && error.code === 'not-run'
