import type { Transport } from '../../../transport/transport.ts'

/** Returns a transport for runs that use only APIs; their steps never call it. */
export function apiOnlyTransport(host: string): Transport {
  const never = (): Promise<never> => Promise.reject(new Error('a run over APIs alone was to use a shell'))
  return { host, run: never, upload: never, close: () => Promise.resolve() }
}
