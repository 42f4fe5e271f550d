import type { Agent } from 'node:http'
import { isObject } from '../base/json.ts'
import { type AccessLevel, isAccessLevel } from '../contracts/accessLevels.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { callOf, type RouteCall } from '../contracts/routeCall.ts'
import type { Secret } from '../secrets/secret.ts'
import { ClientError } from './clientError.ts'
import type { Credentials } from './credentials.ts'
import { describeEndpoint, type Endpoint } from './endpoint.ts'
import { type Problem, readEnvelope, readProblem } from './envelope.ts'
import { type ApiResponse, request } from './request.ts'

/** Limit on the users of a host. */
const maxUsers = 10_000

/** CredentialsPayload of a response, without its obfuscated password (specification section 2.2). */
type ListedUser = { readonly user: string; readonly access: AccessLevel }

/** Reads a CredentialsPayload; undefined for anything else. */
export const readUser = (payload: unknown): ListedUser | undefined =>
  isObject(payload) && typeof payload.user === 'string' && isAccessLevel(payload.access)
    ? { user: payload.user, access: payload.access }
    : undefined

/** Reads the list of the users of a host; undefined for any other body. */
export function listedUsers(body: unknown): readonly ListedUser[] | undefined {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload) || payload.length > maxUsers) return undefined
  const users = payload.flatMap((one: unknown) => readUser(one) ?? [])
  return users.length === payload.length ? users : undefined
}

/** Reads one user of a host; undefined for any other body. */
export const listedUser = (body: unknown): ListedUser | undefined => readUser(readEnvelope(body)?.payload)

/** Endpoint, credentials and timeout of a call. */
export type Caller = {
  readonly endpoint: Endpoint
  readonly credentials?: Credentials
  /** Milliseconds for the whole call. */
  readonly timeout: number
  readonly signal?: AbortSignal
  /** Keeps the connection for the next call; see `createKeptAgent`. */
  readonly agent?: Agent
  /** Gets a line about each response: method, path, status and time. */
  readonly trace?: (line: string) => void
}

/** A response with its result: the value, or a problem. */
export type Outcome<Value> =
  | { readonly response: ApiResponse; readonly value: Value }
  | { readonly response: ApiResponse; readonly problem: Problem }

/** PingPayload (specification section 2.2); `jvmUptime` in milliseconds. */
export type Ping = {
  readonly message: string
  readonly date: string
  readonly hostName: string
  readonly pid: number
  readonly jvmUptime: number
}

/** Calls ping. All calls here reject with a `ClientError` if there is no response or it is malformed. */
export async function ping(caller: Caller): Promise<Outcome<Ping>> {
  return typed(caller, await send(caller, callOf(commonRoutes.ping)), (fields) => {
    const { message, date, hostName, pid, jvmUptime } = fields
    if (typeof message !== 'string' || typeof date !== 'string' || typeof hostName !== 'string')
      return undefined
    if (typeof pid !== 'number' || typeof jvmUptime !== 'number') return undefined
    return { message, date, hostName, pid, jvmUptime }
  })
}

/** Creates the user, or changes its password and, if given, its level; the value is the user's URL. */
export async function createAdminUser(
  caller: Caller,
  created: { readonly user: string; readonly password: Secret; readonly access?: AccessLevel },
): Promise<Outcome<string>> {
  const { access } = created
  const pass = created.password.reveal().normalize('NFC')
  const user = created.user.normalize('NFC')
  const payload = { user, pass, ...(access && { access }) }
  const outcome = await send(caller, callOf(commonRoutes.createAdminUser, {}, { payload }))
  return typed(caller, outcome, ({ value }) => (typeof value === 'string' ? value : undefined))
}

/** Reads a user. */
export async function user(caller: Caller, name: string): Promise<Outcome<ListedUser>> {
  const outcome = await send(caller, callOf(commonRoutes.user, { user: name.normalize('NFC') }))
  return typed(caller, outcome, readUser)
}

/** Makes any call; the value is the unchanged body. */
export async function send({ trace, ...caller }: Caller, call: RouteCall): Promise<Outcome<unknown>> {
  const began = performance.now()
  const response = await request({ ...caller, ...call })
  trace?.(`${call.method} ${call.path}: ${response.status} (${Math.round(performance.now() - began)} ms)`)
  const problem = readProblem(response)
  return problem === undefined ? { response, value: response.body } : { response, problem }
}

function typed<Value>(
  caller: Caller,
  outcome: Outcome<unknown>,
  read: (fields: Readonly<Record<string, unknown>>) => Value | undefined,
): Outcome<Value> {
  if ('problem' in outcome) return outcome
  const payload = readEnvelope(outcome.value)?.payload
  const value = isObject(payload) ? read(payload) : undefined
  if (value !== undefined) return { response: outcome.response, value }
  throw new ClientError({
    code: 'bad-answer',
    message: `The response of ${describeEndpoint(caller.endpoint)} does not have the format of this call.`,
    fix: 'Check the host, the port and the component: another program may listen there.',
  })
}
