import { isObject, parseJson } from '../base/json.ts'
import { capitalized } from '../base/words.ts'
import type { CallRequest, CallTarget } from './call.ts'

type Fields = Readonly<Record<string, unknown>>

/** What is wrong with the text that `muster-api call` was given. It quotes nothing of it: it holds passwords. */
export class CallRequestError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CallRequestError'
  }
}

/**
 * Reads the JSON array of calls from standard input of `muster-api call`. Members that it does not know are
 * passed over, so that a newer muster can call an older host. Throws a `CallRequestError`.
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
