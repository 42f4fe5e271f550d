import type { CallRequest, CallResult } from '../client/call.ts'
import { Secret } from '../secrets/secret.ts'
import { quote } from '../transport/shellWords.ts'
import type { Transport } from '../transport/transport.ts'
import type { Layout } from './layout.ts'
import { mustRun } from './script.ts'

/** Makes calls on a host with its own `muster-api call`: one round trip, the requests on standard input. */
export async function callHost(options: {
  readonly transport: Transport
  readonly layout: Layout
  readonly requests: readonly CallRequest[]
  /** Milliseconds for all of them. */
  readonly timeout: number
}): Promise<readonly CallResult[]> {
  const { transport, layout, requests, timeout } = options
  if (requests.length === 0) return []
  const current = quote(layout.current)
  const { stdout } = await mustRun(transport, {
    doing: 'calling the APIs on the host',
    fix: 'Install again; `muster status` tells how far it got.',
    stdin: new Secret(JSON.stringify(requests)),
    timeout,
    script: `${current}/node ${current}/muster-api.cjs call`,
  })
  const results: unknown = JSON.parse(stdout)
  return Array.isArray(results) ? results.filter(isResult) : []
}

function isResult(value: unknown): value is CallResult {
  if (typeof value !== 'object' || value === null || !('id' in value)) return false
  return 'status' in value || 'error' in value
}
