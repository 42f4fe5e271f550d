import type { Transport } from '../../transport/transport.ts'

/** Stands where a run over APIs alone has no way to a host; its steps never use it. */
export function withoutShell(host: string): Transport {
  const never = (): Promise<never> => Promise.reject(new Error('a run over APIs alone was to use a shell'))
  return { host, run: never, upload: never, close: () => Promise.resolve() }
}
