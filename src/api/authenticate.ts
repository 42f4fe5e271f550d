import type { Socket } from 'node:net'
import { findUser, type UserRecord } from '../accounts/userFile.ts'
import type { Login } from '../accounts/verifiedLogins.ts'
import { isLoopback } from '../base/address.ts'
import type { RouteAuth } from '../contracts/route.ts'
import { Secret } from '../secrets/secret.ts'
import type { ApiContext } from './apiContext.ts'
import type { Caller, Listener } from './caller.ts'
import { markVerified } from './connectionLimits.ts'
import { ProblemError } from './problemError.ts'
import { originOf } from './remoteAddress.ts'
import type { RequestContext } from './requestContext.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads the login of an Authorization header (RFC 7617, UTF-8); undefined if there is none. */
function readBasicLogin(header: string): Login | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  let pair: string
  try {
    pair = utf8.decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
  const colon = pair.indexOf(':')
  if (colon < 0) return undefined
  return { user: pair.slice(0, colon).normalize('NFC'), password: new Secret(pair.slice(colon + 1)) }
}

/** A login that was good, and the users of the host then. */
type VerifiedLogin = {
  readonly authorization: Secret
  readonly users: readonly UserRecord[]
  readonly caller: Caller
}

/** The login that came last over each connection, for as long as the connection lasts. */
const verifiedLogins = new WeakMap<Socket, VerifiedLogin>()

type ListenerScope = { readonly listener: Listener; readonly context: ApiContext }

const anonymous: Caller = { kind: 'anonymous' }

const noUser = (): ProblemError =>
  new ProblemError({
    code: 'no-user',
    detail: 'This host has no user yet. Create one first: until then only ping and createAdminUser work.',
  })

/**
 * Returns the caller of a login that was verified on its connection before, while no user has changed since: most
 * callers say the same again and again.
 */
function findVerifiedLogin(
  connection: Socket,
  authorization: string,
  { accounts }: ApiContext,
): Caller | undefined {
  const known = verifiedLogins.get(connection)
  if (known === undefined || known.authorization.reveal() !== authorization) return undefined
  return accounts.usersIfUnchanged() === known.users ? known.caller : undefined
}

async function checkLogin(
  { request }: RequestContext,
  { listener, context }: ListenerScope,
): Promise<Caller> {
  const { authorization = '' } = request.headers
  const login = readBasicLogin(authorization)
  // Who may open the socket may read the hashes, too: there is nothing to guess there.
  const origin = listener === 'socket' ? undefined : () => originOf(request.socket)
  const users = await context.accounts.users()
  const verdict = login ? await context.accounts.verify(login, origin) : 'refused'
  if (verdict === 'no-user') throw noUser()
  if (!login || verdict === 'refused') {
    const detail = 'The user name or the password is wrong. Each host has its own users.'
    throw new ProblemError({ code: 'login-refused', detail })
  }
  markVerified(request.socket)
  const caller: Caller = { kind: 'user', user: login.user, access: verdict }
  // Users that changed while the password was checked may be others than it was checked by.
  if (context.accounts.lastSeenUsers() === users) {
    verifiedLogins.set(request.socket, { authorization: new Secret(authorization), users, caller })
  }
  return caller
}

function bootstrapCaller({ remoteAddress }: RequestContext, { listener, context }: ListenerScope): Caller {
  if (listener === 'socket') return { kind: 'socket' }
  if (isLoopback(remoteAddress ?? '') || context.remoteBootstrap) return anonymous
  throw new ProblemError({
    code: 'remote-bootstrap',
    detail:
      'This host has no user yet, and a call from another host may not create the first one. ' +
      'Set rest-api-admin-user and install again. Or make this call on the host itself over its loopback ' +
      'address, or set rest-api-remote-bootstrap: true and install again.',
  })
}

/**
 * Returns the caller of a request; throws the problem of status 401 or 403. The socket needs no login, but one
 * that is sent there is checked (contract.md, "Common to the three components").
 */
export function authenticate(
  requestContext: RequestContext,
  auth: RouteAuth,
  at: ListenerScope,
): Caller | Promise<Caller> {
  if (auth === 'none') return anonymous
  const { socket, headers } = requestContext.request
  const host = auth === 'host' ? at.context.hostOf?.(socket) : undefined
  if (host !== undefined) {
    markVerified(socket)
    return { kind: 'host', name: host }
  }
  if (headers.authorization === undefined) return withoutLogin(requestContext, auth, at)
  return findVerifiedLogin(socket, headers.authorization, at.context) ?? withLogin(requestContext, auth, at)
}

async function withLogin(
  requestContext: RequestContext,
  auth: RouteAuth,
  at: ListenerScope,
): Promise<Caller> {
  // The response is for everybody: a login that cannot be checked only learns no more than they.
  if (auth === 'optional') return checkLogin(requestContext, at).catch(() => anonymous)
  if (auth === 'bootstrap' && (await at.context.accounts.users()).length === 0)
    return bootstrapCaller(requestContext, at)
  return checkLogin(requestContext, at)
}

async function withoutLogin(
  requestContext: RequestContext,
  auth: RouteAuth,
  at: ListenerScope,
): Promise<Caller> {
  const { listener, context } = at
  if (auth === 'optional') return listener === 'socket' ? { kind: 'socket' } : anonymous
  if (auth === 'bootstrap' && (await context.accounts.users()).length === 0)
    return bootstrapCaller(requestContext, at)
  if (listener === 'socket') return { kind: 'socket' }
  if ((await context.accounts.users()).length === 0) throw noUser()
  throw new ProblemError({
    code: 'login-required',
    detail: 'Send a user name and a password with HTTP Basic.',
  })
}

/**
 * Returns a check of the caller of a request that lasts: false once the record is another one by which its user logged
 * in, or gone. Callers without a user always pass.
 */
export function loginCheck(
  { request, caller }: RequestContext,
  { accounts }: Pick<ApiContext, 'accounts'>,
): () => Promise<boolean> {
  if (caller?.kind !== 'user') return () => Promise.resolve(true)
  const { user } = caller
  const recordIn = (users: readonly UserRecord[]): string | undefined =>
    JSON.stringify(findUser({ version: 1, users }, user))
  const login = verifiedLogins.get(request.socket)
  // Nobody knows which record it was where users changed at that very moment.
  const verified = login?.caller === caller ? recordIn(login.users) : undefined
  return async () => verified !== undefined && recordIn(await accounts.users()) === verified
}
