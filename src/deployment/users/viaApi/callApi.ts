import type { Outcome } from '../../../client/calls.ts'
import { ClientError, type ClientErrorCode } from '../../../client/clientError.ts'
import { describeEndpoint } from '../../../client/endpoint.ts'
import type { Problem } from '../../../client/envelope.ts'
import { TransportError, type TransportErrorCode } from '../../../transport/transportError.ts'
import { StepError } from '../../stepError.ts'
import type { HostApi } from './apiHost.ts'

/** Milliseconds for one call. */
export const callTimeout = 10_000

/** Describes the target of a call: `the manager at https://10.0.0.11:8090`. */
export const describeTarget = ({ component, endpoint }: HostApi): string =>
  `the ${component} at ${describeEndpoint(endpoint)}`

/** Transport errors that correspond to client errors without a response. */
const unreachable: Readonly<Partial<Record<ClientErrorCode, TransportErrorCode>>> = {
  refused: 'connection-refused',
  unreachable: 'connection-refused',
  'name-not-found': 'name-not-found',
  timeout: 'timeout',
  reset: 'connection-lost',
}

const trustAdvice =
  'Use --cacert with the authority that signed it; for generated stores that is authority.crt in the state directory. If that one was used, another server may be answering.'

/** Calls one API of a host; converts a missing response to a failure of that host. */
export async function onApi<Value>(host: string, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const { message } = error
    const code = unreachable[error.code]
    if (code !== undefined) throw new TransportError({ host, code, message, fix: error.fix, cause: error })
    const fix = error.code === 'certificate-untrusted' ? trustAdvice : error.fix
    throw new StepError({ host, code: error.code, message, fix, cause: error })
  }
}

/** Converts an API's problem to a failure of its host, with a fix if one is known. */
export function refusal(
  host: string,
  api: HostApi,
  { response, problem }: Extract<Outcome<unknown>, { problem: Problem }>,
): StepError {
  const { status, code, title, detail } = problem
  const words = detail ?? title
  const place = describeTarget(api)
  if (status === 429) {
    const wait = response.headers['retry-after']
    return new StepError({
      host,
      code: 'locked-out',
      message: `${place} rejects all logins from here${typeof wait === 'string' ? ` for ${wait} s` : ''}: too many logins failed`,
      fix: 'Wait, then run the command again with correct credentials: --login USER with --login-password-file FILE.',
    })
  }
  return new StepError({
    host,
    code: code === 'unknown-host' ? code : 'api-refused',
    message: `${place} answered ${status}: ${words}`,
    fix:
      code === 'unknown-host'
        ? `Add that name to rest-api-allowed-hosts and install again.`
        : `See the log of the ${api.component} on ${host}, then run the command again.`,
  })
}
