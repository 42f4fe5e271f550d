import type { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { connectableAddress } from '../base/address.ts'
import { isObject, parseJson } from '../base/json.ts'
import { capitalized } from '../base/words.ts'
import { internalUserAgent } from '../contracts/route.ts'
import type { RouteCall } from '../contracts/routeCall.ts'
import { Secret } from '../secrets/secret.ts'
import { ClientError, type ClientErrorCode, isClientErrorCode } from './clientError.ts'
import type { Endpoint } from './endpoint.ts'
import { type ApiResponse, request } from './request.ts'
import { fetchServerCertificates } from './serverCertificates.ts'

/** Address of a call on a database host: TCP with TLS, or the host's own Unix socket. */
export type CallTarget =
  | {
      /** As configured; the wildcards `0.0.0.0` and `::` mean loopback. */
      readonly address: string
      readonly port: number
      /** Name that the certificate must have; default: the address. */
      readonly servername?: string
      /** PEM certificates of the only trusted authorities. */
      readonly authorities: readonly string[]
      /** SHA-256 of the expected certificate, in pairs of hexadecimal digits with colons. */
      readonly certificate?: string
      /** Retry-After of the response in seconds. */
      readonly retryAfter?: number
    }
  | { readonly socket: string }

/** A call for `muster-api call` on a host; a JSON list of them is its standard input. */
export type CallRequest = RouteCall & {
  /** Copied to the result. */
  readonly id: string
  readonly target: CallTarget
  readonly credentials?: { readonly user: string; readonly password: string }
  /** Milliseconds for one attempt. */
  readonly timeout: number
  /** Milliseconds in which a call to an API that is not ready yet (see `callAll`) is repeated. */
  readonly retryUntil?: number
  /** Set for a POST that may arrive twice; it may then use an open connection. */
  readonly repeatable?: true
  /**
   * `certificates`: also return the server's certificates from a separate handshake, trusted or not. TCP
   * only.
   */
  readonly show?: 'certificates'
}

/** Result of a call: a response of any status, or the error. */
export type CallResult = (
  | {
      readonly id: string
      readonly status: number
      readonly body: unknown
      /** Pinned certificate that the server showed. */
      readonly certificate?: string
    }
  | {
      readonly id: string
      /** `ended`: replaces the results if the called process has ended. */
      readonly error: { readonly code: ClientErrorCode | 'ended'; readonly message: string }
    }
) & {
  /** The server's certificates with `show`, leaf first, as PEM; empty if the handshake failed. */
  readonly certificates?: readonly string[]
}

/** Clock of `callAll`; both in milliseconds. */
export type CallClock = {
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const pause = 100
const realClock: CallClock = { now: () => performance.now(), wait }

/**
 * Makes all calls concurrently; results have the order of the requests. Within `retryUntil` it repeats a call
 * every 100 ms if nothing listens, the socket does not exist, the API responds with 503, a GET is cut off, or
 * the server shows another certificate than the pinned one. Never rejects: a failure is the result of its
 * call.
 */
export const callAll = (
  requests: readonly CallRequest[],
  clock: CallClock = realClock,
): Promise<CallResult[]> => Promise.all(requests.map((call) => callOne(call, clock)))

async function callOne(call: CallRequest, clock: CallClock): Promise<CallResult> {
  const deadline = clock.now() + (call.retryUntil ?? 0)
  for (;;) {
    const [result, shown] = await Promise.all([attempt(call), fetchShownCertificates(call)])
    if (!isNotReady({ call, result }) || clock.now() + pause > deadline) {
      return { ...result, ...shown }
    }
    await clock.wait(pause)
  }
}

/** Makes a call once, with the agent's connection if given; never rejects. */
export async function attempt(call: CallRequest, agent?: Agent): Promise<CallResult> {
  try {
    const response: ApiResponse = await request({
      endpoint: endpointOf(call.target),
      method: call.method,
      path: call.path,
      timeout: call.timeout,
      userAgent: internalUserAgent,
      ...(agent !== undefined && { agent }),
      ...(call.body !== undefined && { body: call.body }),
      ...(call.credentials && {
        credentials: { user: call.credentials.user, password: new Secret(call.credentials.password) },
      }),
    })
    const certificate = pinnedCertificate(call)
    return {
      ...{ id: call.id, status: response.status, body: response.body },
      ...(certificate === undefined ? {} : { certificate }),
      ...retryAfter(response),
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { id: call.id, error: { code: error.code, message: error.message } }
  }
}

function retryAfter({ headers }: ApiResponse): { readonly retryAfter?: number } {
  const seconds = Number(headers['retry-after'])
  return Number.isInteger(seconds) && seconds > 0 ? { retryAfter: seconds } : {}
}

async function fetchShownCertificates(call: CallRequest): Promise<Pick<CallResult, 'certificates'>> {
  if (call.show !== 'certificates' || 'socket' in call.target) return {}
  const { port, servername } = call.target
  const address = connectableAddress(call.target.address)
  try {
    const server = { address, port, timeout: call.timeout, ...(servername && { servername }) }
    return { certificates: await fetchServerCertificates(server) }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { certificates: [] }
  }
}

export function endpointOf(target: CallTarget): Endpoint {
  if ('socket' in target) return { kind: 'socket', path: target.socket }
  const address = connectableAddress(target.address)
  return {
    kind: 'tcp',
    address,
    port: target.port,
    names: [target.servername ?? address],
    trust: { kind: 'authorities', certificates: target.authorities },
    ...(target.certificate === undefined ? {} : { leaf: target.certificate }),
  }
}

const pinnedCertificate = ({ target }: CallRequest): string | undefined =>
  'socket' in target ? undefined : target.certificate

function isNotReady({ call, result }: { call: CallRequest; result: CallResult }): boolean {
  if ('status' in result) return result.status === 503
  if (result.error.code === 'reset') return call.method === 'GET'
  // Servers follow their files within seconds; until then the one before may even be of another authority.
  if (result.error.code.startsWith('certificate-')) return pinnedCertificate(call) !== undefined
  return result.error.code === 'refused' || result.error.code === 'no-socket'
}

/** Limits on results and the characters of a message; `muster-api call` writes far less. */
const limits = { results: 10_000, message: 2000 }

/**
 * Parses the output of `muster-api call`; undefined for anything but a list of results. A body may be any
 * JSON value: the caller validates it.
 */
export function parseCallResults(text: string): readonly CallResult[] | undefined {
  const value = parseJson(text)
  if (!Array.isArray(value) || value.length > limits.results) return undefined
  const results = value.map(readResult).filter((result) => result !== undefined)
  return results.length === value.length ? results : undefined
}

function readResult(value: unknown): CallResult | undefined {
  if (!isObject(value) || typeof value.id !== 'string') return undefined
  const { id, status, certificate, certificates, error } = value
  const shown = certificates === undefined ? {} : readCertificates(certificates)
  if (shown === undefined) return undefined
  if (isObject(error)) {
    const { code, message } = error
    if (typeof message !== 'string' || typeof code !== 'string') return undefined
    // A newer release may have more codes; its message is still shown.
    const known = code === 'ended' || isClientErrorCode(code) ? code : 'failed'
    return { id, error: { code: known, message: message.slice(0, limits.message) }, ...shown }
  }
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 999)
    return undefined
  if (certificate !== undefined && typeof certificate !== 'string') return undefined
  return { id, status, body: value.body, ...(certificate === undefined ? {} : { certificate }), ...shown }
}

function readCertificates(value: unknown): { readonly certificates: readonly string[] } | undefined {
  if (!Array.isArray(value) || !value.every((pem) => typeof pem === 'string')) return undefined
  return { certificates: value }
}

type Fields = Readonly<Record<string, unknown>>

/** Invalid input of `muster-api call`. The message quotes none of it, since it holds passwords. */
export class CallRequestError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CallRequestError'
  }
}

/**
 * Parses the JSON array of calls on standard input of `muster-api call`. Ignores unknown members, so that a
 * newer muster can call an older host. Throws a `CallRequestError`.
 */
export function parseCallRequests(text: string): CallRequest[] {
  const calls = parseArray(text).map((value, index) => readCall(value, `call ${index + 1}`))
  const seen = new Set<string>()
  for (const { id } of calls) {
    if (seen.has(id)) throw new CallRequestError(`Two calls have the id ${JSON.stringify(id)}.`)
    seen.add(id)
  }
  return calls
}

function parseArray(text: string): unknown[] {
  const value = parseJson(text)
  if (value === undefined) {
    throw new CallRequestError('Standard input is not valid JSON; it must be an array of calls.')
  }
  if (!Array.isArray(value)) throw new CallRequestError('Standard input must be a JSON array of calls.')
  return value
}

function readCall(value: unknown, where: string): CallRequest {
  const call = readObject(value, where)
  const method = call.method
  if (method !== 'GET' && method !== 'POST') {
    throw new CallRequestError(`The method of ${where} must be GET or POST.`)
  }
  const path = readText(call, 'path', where)
  if (!path.startsWith('/')) throw new CallRequestError(`The path of ${where} must begin with a slash.`)
  return {
    id: readText(call, 'id', where),
    method,
    path,
    target: readTarget(call.target, `the target of ${where}`),
    timeout: readMilliseconds(call, 'timeout', where),
    ...(call.credentials !== undefined && {
      credentials: readCredentials(call.credentials, `the credentials of ${where}`),
    }),
    ...(call.body !== undefined && { body: call.body }),
    ...(call.retryUntil !== undefined && { retryUntil: readMilliseconds(call, 'retryUntil', where) }),
    ...(call.show === 'certificates' && { show: call.show }),
  }
}

function readTarget(value: unknown, where: string): CallTarget {
  const target = readObject(value, where)
  if ('socket' in target) return { socket: readText(target, 'socket', where) }
  const { port, authorities } = target
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65535) {
    throw new CallRequestError(`The port of ${where} must be a whole number from 1 to 65535.`)
  }
  if (!Array.isArray(authorities) || authorities.length === 0 || !authorities.every(isPem)) {
    throw new CallRequestError(`The authorities of ${where} must be a list of PEM certificates, not empty.`)
  }
  return {
    address: readText(target, 'address', where),
    port,
    authorities,
    ...(target.servername !== undefined && { servername: readText(target, 'servername', where) }),
    ...(target.certificate !== undefined && { certificate: readText(target, 'certificate', where) }),
  }
}

function readCredentials(value: unknown, where: string): { user: string; password: string } {
  const credentials = readObject(value, where)
  return { user: readText(credentials, 'user', where), password: readText(credentials, 'password', where) }
}

function readObject(value: unknown, where: string): Fields {
  if (!isObject(value)) throw new CallRequestError(`${capitalized(where)} must be a JSON object.`)
  return value
}

function readText(fields: Fields, name: string, where: string): string {
  const value = fields[name]
  if (typeof value === 'string' && value !== '') return value
  throw new CallRequestError(`The member ${name} of ${where} must be text, not empty.`)
}

function readMilliseconds(fields: Fields, name: string, where: string): number {
  const value = fields[name]
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new CallRequestError(`The member ${name} of ${where} must be a number of milliseconds, 0 or more.`)
}

const isPem = (value: unknown): value is string =>
  typeof value === 'string' && value.includes('-----BEGIN CERTIFICATE-----')
