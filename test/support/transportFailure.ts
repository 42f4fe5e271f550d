import { TransportError } from '../../src/transport/transportError.ts'

/** What this fails with, which must be a failure of the transport. */
export async function failure(promise: Promise<unknown>): Promise<TransportError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (error instanceof TransportError) return error
  throw error
}
