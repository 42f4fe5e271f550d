import type { Transport } from '../transport/transport.ts'
import { TransportError } from '../transport/transportError.ts'

/**
 * Sends several dependent requests to a host in one round trip where its transport can; each runs only if those
 * before it succeeded. `send` must issue all of them synchronously. Rejects with the first failure, after all have
 * ended.
 */
export async function batchSteps(
  transport: Transport,
  send: (to: Transport) => readonly Promise<unknown>[],
): Promise<void> {
  const results = await Promise.allSettled(send(transport.chain?.() ?? transport))
  const failures = results.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  const first = failures.find((error) => !wasSkipped(error)) ?? failures[0]
  if (first !== undefined) throw first
}

/** Returns true if a request was skipped because an earlier one failed. */
const wasSkipped = (error: unknown): boolean => error instanceof TransportError && error.code === 'not-run'
