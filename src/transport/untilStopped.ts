import type { Transport } from './transport.ts'
import { TransportError } from './transportError.ts'

/**
 * Opens the way to a host unless somebody stops the command: then nothing is waited for any more, and a connection
 * that comes about all the same is closed. Rejects with a `TransportError`, code `stopped`.
 */
export async function untilStopped(
  { host, signal }: { readonly host: string; readonly signal: AbortSignal },
  connect: () => Promise<Transport>,
): Promise<Transport> {
  const stopped = (): TransportError =>
    new TransportError({
      host,
      code: 'stopped',
      message: 'the command was stopped before the host was reached',
      fix: 'Run the command again.',
    })
  if (signal.aborted) throw stopped()
  const connecting = connect()
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(stopped())
      connecting.then(
        (transport) => transport.close(),
        () => undefined,
      )
    }
    signal.addEventListener('abort', stop, { once: true })
    connecting.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
