import { addressAndPort, isWildcard } from '../base/address.ts'
import { type CallRequest, type CallResult, parseCallResults } from '../client/call.ts'
import { callOverStreams } from '../client/callOverStreams.ts'
import type { HostConfig } from '../config/model.ts'
import { Secret } from '../secrets/secret.ts'
import type { Transport } from '../transport/transport.ts'
import type { Layout } from './layout.ts'
import { musterApiCommand } from './musterApiCommand.ts'
import { runOrThrow } from './runOrThrow.ts'
import type { ServiceAccount } from './serviceAccount.ts'
import { type WatchedComponents, watchedCall } from './services/watchedCall.ts'
import { StepError } from './stepError.ts'

/** Formats the address of an API on another host, such as `10.0.0.11:8090` or `[2001:db8::1]:8090`. */
export function apiAddress(
  host: Pick<HostConfig, 'address'>,
  api: Pick<HostConfig['apis'][number], 'address' | 'port'>,
): string {
  return addressAndPort(isWildcard(api.address) ? host.address : api.address, api.port)
}

/**
 * Calls the APIs of a host. Uses the open connection if it can forward to them, so no program starts on the host;
 * otherwise, or if that gets no response, runs the host's own `muster-api call`: one round trip, the requests on
 * standard input. Rejects with a `TransportError` or a `StepError`.
 */
export async function callHost(options: {
  readonly transport: Transport
  readonly layout: Layout
  /** User that the host's program runs as: the sockets are in folders of the service. */
  readonly account: ServiceAccount
  readonly requests: readonly CallRequest[]
  /** Milliseconds for all requests together. */
  readonly timeout: number
  /**
   * True if the components ran before this run. Components that may have just started are called by the host, which
   * waits for them.
   */
  readonly running: boolean
  /** Ends the calls when one of these components has ended; its `ended` is then the only result. */
  readonly until?: WatchedComponents
}): Promise<readonly CallResult[]> {
  const { transport, layout, account, requests, timeout, until } = options
  if (requests.length === 0) return []
  // The service user could point the socket elsewhere, and root would follow it over the connection.
  const rootOpens = account.isOther && requests.some(({ target }) => 'socket' in target)
  const answered =
    transport.dial !== undefined && options.running && !rootOpens
      ? await callOverStreams(requests, transport.dial)
      : undefined
  if (answered !== undefined) return answered
  const script = musterApiCommand(layout.current, 'call', account)
  const { stdout } = await runOrThrow(transport, {
    doing: 'calling the APIs on the host',
    fix: 'Install again; `muster status` shows the current state.',
    stdin: new Secret(JSON.stringify(requests)),
    timeout,
    script: until === undefined ? script : watchedCall(script, until),
  })
  const results = parseCallResults(stdout.raw())
  if (results !== undefined) return results
  throw new StepError({
    host: transport.host,
    code: 'bad-answer',
    message: `the host returned unexpected output for calls of its APIs: ${stdout}`,
    fix: 'Check what the startup files of the login shell print there, then install again.',
  })
}

/** Returns the id of the component that ended during the calls. */
export const endedComponent = (results: readonly CallResult[]): string | undefined =>
  results.find((result) => 'error' in result && result.error.code === 'ended')?.id
