import type { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { callableAddress } from '../base/address.ts'
import { programAgent } from '../contracts/programAgent.ts'
import { Secret } from '../secrets/secret.ts'
import { ClientError, type ClientErrorCode } from './clientError.ts'
import type { Endpoint } from './endpoint.ts'
import { type ApiAnswer, request } from './request.ts'
import { shownCertificates } from './shownCertificates.ts'

export { parseCallRequests } from './parseCallRequests.ts'

/** Where a call on a database host goes: over TCP and TLS, or to the host's own Unix socket. */
export type CallTarget =
  | {
      /** As configured; `0.0.0.0` and `::` are called as loopback. */
      readonly address: string
      readonly port: number
      /** Name that the certificate must carry; the address unless given. */
      readonly servername?: string
      /** PEM certificates of the only authorities that are trusted. */
      readonly authorities: readonly string[]
      /** SHA-256 of the certificate that must be shown, in pairs of hexadecimal digits with colons. */
      readonly certificate?: string
      /** Seconds after which to ask again, of an answer that says so. */
      readonly retryAfter?: number
    }
  | { readonly socket: string }

/** One call that `muster-api call` makes on a host; a list of them comes as JSON on standard input. */
export type CallRequest = {
  /** Comes back with the result. */
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly target: CallTarget
  readonly credentials?: { readonly user: string; readonly password: string }
  readonly body?: unknown
  /** Milliseconds for one attempt. */
  readonly timeout: number
  /** Milliseconds during which an API that is not up yet (see `callAll`) is tried again. */
  readonly retryUntil?: number
  /** `certificates`: tell also what the server shows in a handshake of its own, trusted or not. Over TCP only. */
  readonly show?: 'certificates'
}

/** What became of a call: any answer, or why there was none. */
export type CallResult = (
  | {
      readonly id: string
      readonly status: number
      readonly body: unknown
      /** The certificate that the target demanded and that was shown; a release that knows no demand says nothing. */
      readonly certificate?: string
    }
  | {
      readonly id: string
      /** `ended`: told in place of results where what was called has ended meanwhile. */
      readonly error: { readonly code: ClientErrorCode | 'ended'; readonly message: string }
    }
) & {
  /** Where it was to be told: what the server shows, leaf first, as PEM; empty where no handshake came about. */
  readonly certificates?: readonly string[]
}

/** Time as `callAll` sees it; both in milliseconds. */
export type CallClock = {
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const pause = 100
const realClock: CallClock = { now: () => performance.now(), wait }

/**
 * Makes all calls at once; the results come in the order of the requests. Within `retryUntil` a call is
 * tried again every 100 ms while nothing listens, the socket is not there yet, the API answers 503, the
 * connection of a GET breaks off, or another certificate is shown than the one that is demanded. Never rejects: each failure is that call's result.
 */
export const callAll = (
  requests: readonly CallRequest[],
  clock: CallClock = realClock,
): Promise<CallResult[]> => Promise.all(requests.map((call) => callOne(call, clock)))

async function callOne(call: CallRequest, clock: CallClock): Promise<CallResult> {
  const deadline = clock.now() + (call.retryUntil ?? 0)
  for (;;) {
    const [result, shown] = await Promise.all([attempt(call), shownFor(call)])
    if (!isNotUpYet({ call, result }) || clock.now() + pause > deadline) {
      return { ...result, ...shown }
    }
    await clock.wait(pause)
  }
}

/** Makes a call once, over a connection of the agent where one is given; never rejects. */
export async function attempt(call: CallRequest, agent?: Agent): Promise<CallResult> {
  try {
    const answer: ApiAnswer = await request({
      endpoint: endpointOf(call.target),
      method: call.method,
      path: call.path,
      timeout: call.timeout,
      userAgent: programAgent,
      ...(agent !== undefined && { agent }),
      ...(call.body !== undefined && { body: call.body }),
      ...(call.credentials && {
        credentials: { user: call.credentials.user, password: new Secret(call.credentials.password) },
      }),
    })
    const certificate = demanded(call)
    return {
      ...{ id: call.id, status: answer.status, body: answer.body },
      ...(certificate === undefined ? {} : { certificate }),
      ...retryAfter(answer),
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { id: call.id, error: { code: error.code, message: error.message } }
  }
}

function retryAfter({ headers }: ApiAnswer): { readonly retryAfter?: number } {
  const seconds = Number(headers['retry-after'])
  return Number.isInteger(seconds) && seconds > 0 ? { retryAfter: seconds } : {}
}

async function shownFor(call: CallRequest): Promise<Pick<CallResult, 'certificates'>> {
  if (call.show !== 'certificates' || 'socket' in call.target) return {}
  const { port, servername } = call.target
  const address = callableAddress(call.target.address)
  try {
    const server = { address, port, timeout: call.timeout, ...(servername && { servername }) }
    return { certificates: await shownCertificates(server) }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { certificates: [] }
  }
}

/** A target as the client calls it. */
export function endpointOf(target: CallTarget): Endpoint {
  if ('socket' in target) return { kind: 'socket', path: target.socket }
  const address = callableAddress(target.address)
  return {
    kind: 'tcp',
    address,
    port: target.port,
    names: [target.servername ?? address],
    trust: { kind: 'authorities', certificates: target.authorities },
    ...(target.certificate === undefined ? {} : { leaf: target.certificate }),
  }
}

const demanded = ({ target }: CallRequest): string | undefined =>
  'socket' in target ? undefined : target.certificate

function isNotUpYet({ call, result }: { call: CallRequest; result: CallResult }): boolean {
  if ('status' in result) return result.status === 503
  if (result.error.code === 'reset') return call.method === 'GET'
  // Servers follow their files within seconds; until then the one before may even be of another authority.
  if (result.error.code.startsWith('certificate-')) return demanded(call) !== undefined
  return result.error.code === 'refused' || result.error.code === 'no-socket'
}
