import {
  type Agent,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls'
import { addressAndPort, isAddress } from '../base/address.ts'
import { boundedBytes } from '../base/boundedBytes.ts'
import { parseJson } from '../base/json.ts'
import type { RouteCall } from '../contracts/routeCall.ts'
import type { Secret } from '../secrets/secret.ts'
import { ClientError } from './clientError.ts'
import { basicAuthorization, type Credentials } from './credentials.ts'
import { describeEndpoint, type Endpoint, isReadableAuthority } from './endpoint.ts'
import {
  explainAuthority,
  explainFailure,
  explainNameMismatch,
  explainPinMismatch,
} from './explainFailure.ts'

/**
 * Parses the body of a response as JSON if its content type says so. Throws a `ClientError` `bad-answer` for
 * invalid JSON or beyond the limits of `parseJson`; the message quotes none of it.
 */
export function parseBody(response: {
  readonly place: string
  readonly contentType: string | undefined
  readonly text: string
}): unknown {
  const mediaType = response.contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const isJson = mediaType === 'application/json' || mediaType.endsWith('+json')
  if (!isJson || response.text === '') return response.text
  const value = parseJson(response.text)
  if (value !== undefined) return value
  throw new ClientError({
    code: 'bad-answer',
    message: `${response.place} returned ${mediaType} that is not valid JSON or is too large.`,
    fix: 'Check the port: another program may listen there, or a proxy may change the responses.',
  })
}

/** One call of an API. */
export type ApiRequest = RouteCall & {
  readonly endpoint: Endpoint
  readonly credentials?: Credentials
  /** Authorization header of a call that is passed on, in place of credentials. */
  readonly authorization?: Secret
  /** Milliseconds for the whole call, from the name lookup to the last byte of the response. */
  readonly timeout: number
  readonly signal?: AbortSignal
  /** User-Agent header; default: that of tapi. */
  readonly userAgent?: string
  /** Provides the connection and may keep it; default: a new connection for each call. */
  readonly agent?: Agent
}

/** Response of any status. */
export type ApiResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed if the content type is JSON, else text. */
  readonly body: unknown
}

/** Limit of a response in bytes. */
export const responseLimit = 8 * 1024 * 1024

/**
 * Makes one call; follows no redirects and keeps no connection open. Any status is a response. Rejects with a
 * `ClientError` and nothing else.
 */
export async function request(call: ApiRequest): Promise<ApiResponse> {
  const place = describeEndpoint(call.endpoint)
  if (!/^\/[!-~]*$/.test(call.path)) {
    throw new ClientError({
      code: 'bad-request',
      message: 'The path of a call must begin with a slash and contain only ASCII characters without spaces.',
      fix: 'Percent-encode other characters, such as a space as %20.',
    })
  }
  if (!readableTrust(call.endpoint)) throw new ClientError(explainAuthority(place))
  try {
    const { message, text } = await sendRequest(call)
    return {
      status: message.statusCode ?? 0,
      headers: message.headers,
      body: parseBody({ place, contentType: message.headers['content-type'], text }),
    }
  } catch (error) {
    if (error instanceof ClientError) throw error
    throw new ClientError(explainFailure({ error, place }))
  }
}

/** Creates an agent that keeps one connection to each endpoint for consecutive calls; the caller destroys it. */
export const createKeptAgent = ({ kind }: Pick<Endpoint, 'kind'>): Agent =>
  kind === 'tcp'
    ? new TlsAgent({ keepAlive: true, maxSockets: 1 })
    : new PlainAgent({ keepAlive: true, maxSockets: 1 })

function sendRequest(call: ApiRequest): Promise<{ message: IncomingMessage; text: string }> {
  const { endpoint, signal, timeout, agent = false } = call
  const place = describeEndpoint(endpoint)
  return new Promise((resolve, reject) => {
    const sentBody = call.body === undefined ? undefined : JSON.stringify(call.body)
    const options: RequestOptions = {
      method: call.method,
      path: call.path,
      headers: headers(call, sentBody),
    }
    const sent =
      endpoint.kind === 'socket'
        ? plainRequest({ ...options, agent, socketPath: endpoint.path })
        : tlsRequest({ ...options, ...tlsOptions(endpoint), agent })

    let connected = false
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
    // The first failure counts: destroying a request causes others, such as a reset.
    const fail = (error: unknown) => {
      settle()
      reject(error)
      sent.destroy()
    }
    const stop = () => fail(interruptedError(place))
    const timer = setTimeout(() => fail(timeoutError({ place, timeout, connected })), timeout)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()

    sent.on('socket', (socket) => {
      connected = sent.reusedSocket
      // A reused socket never emits it, and the listener would stay.
      if (connected) return
      socket.once(endpoint.kind === 'socket' ? 'connect' : 'secureConnect', () => {
        connected = true
      })
    })
    sent.on('error', fail)
    sent.on('response', (message) => {
      const body = boundedBytes(responseLimit)
      message.on('data', (chunk: Buffer) => {
        if (body.length + chunk.length > responseLimit) fail(tooLargeError(place))
        else body.push(chunk)
      })
      message.on('error', fail)
      message.on('end', () => {
        settle()
        resolve({ message, text: body.bytes().toString('utf8') })
      })
    })
    sent.end(sentBody)
  })
}

export const readableTrust = (endpoint: Endpoint): boolean =>
  endpoint.kind === 'socket' ||
  endpoint.trust.kind !== 'authorities' ||
  endpoint.trust.certificates.every(isReadableAuthority)

function headers(call: ApiRequest, body: string | undefined): Record<string, string | number> {
  return {
    Host: hostHeader(call.endpoint),
    'User-Agent': call.userAgent ?? 'tapi',
    // Health and metrics are text.
    Accept: 'application/json, text/plain, text/html',
    ...(call.authorization && { Authorization: call.authorization.reveal() }),
    ...(call.credentials && { Authorization: basicAuthorization(call.credentials) }),
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    }),
  }
}

export const hostHeader = (endpoint: Endpoint): string =>
  endpoint.kind === 'socket' ? 'localhost' : addressAndPort(endpoint.names[0], endpoint.port)

/** Returns true if the certificate has the name; names that Node.js cannot parse do not count. */
function isFor(name: string, certificate: PeerCertificate): boolean {
  try {
    return checkServerIdentity(name, certificate) === undefined
  } catch {
    return false
  }
}

/** Returns the error of a server whose certificate has none of these names and addresses; undefined if it has one. */
export function nameMismatch(facts: {
  readonly place: string
  readonly names: readonly string[]
  readonly certificate: PeerCertificate
}): ClientError | undefined {
  const { place, names, certificate } = facts
  if (names.some((name) => isFor(name, certificate))) return undefined
  const found = certificate.subjectaltname ?? `CN:${certificate.subject?.CN ?? ''}`
  return new ClientError(explainNameMismatch({ place, wanted: names, found }))
}

/** Returns TLS options for an endpoint, with the checks of its certificate. */
export function tlsOptions(endpoint: Endpoint & { kind: 'tcp' }): ConnectionOptions {
  const { address, port, names, trust, leaf, identity } = endpoint
  return {
    host: address,
    port,
    servername: isAddress(names[0]) ? '' : names[0],
    minVersion: 'TLSv1.2' as const,
    rejectUnauthorized: trust.kind !== 'any',
    ...(identity && { key: identity.key.reveal(), cert: identity.chain }),
    ...(trust.kind === 'authorities' && {
      ca: [...trust.certificates],
      // The operator's authority is the trust anchor, even if another authority signed it.
      allowPartialTrustChain: true,
    }),
    checkServerIdentity: (_host: string, certificate: PeerCertificate) => {
      if (leaf !== undefined && certificate.fingerprint256 !== leaf) {
        const serial = certificate.serialNumber
        return new ClientError(explainPinMismatch({ place: describeEndpoint(endpoint), serial }))
      }
      return nameMismatch({ place: describeEndpoint(endpoint), names, certificate })
    },
  }
}

const timeoutError = (facts: { place: string; timeout: number; connected: boolean }): ClientError =>
  new ClientError({
    code: 'timeout',
    message: facts.connected
      ? `${facts.place} did not answer within ${facts.timeout / 1000} s.`
      : `Could not connect to ${facts.place} within ${facts.timeout / 1000} s.`,
    fix: facts.connected
      ? 'Increase the timeout, or read the log of the component.'
      : 'Check the address and the firewalls on the way: one of them may drop packets.',
  })

const interruptedError = (place: string): ClientError =>
  new ClientError({
    code: 'interrupted',
    message: `The call of ${place} was interrupted.`,
    fix: 'Run it again: every call can be repeated safely.',
  })

const tooLargeError = (place: string): ClientError =>
  new ClientError({
    code: 'too-large',
    message: `The response of ${place} is larger than ${responseLimit / 1024 / 1024} MiB.`,
    fix: 'Check the port: another program may listen there.',
  })
