import type { RouteAuth } from '../contracts/route.ts'
import type { ApiContext } from './apiContext.ts'
import { readBasicLogin } from './basicLogin.ts'
import { isLoopback, peerNetwork } from './peer.ts'
import { ProblemError } from './problemError.ts'
import type { Caller } from './serve.ts'

/** Which of a process's listeners a call came through. */
export type Door = 'tcp' | 'socket'

type Facts = {
  readonly auth: RouteAuth
  readonly authorization: string | undefined
  readonly door: Door
  /** Address of the peer; absent on the socket. */
  readonly peer: string | undefined
  readonly context: ApiContext
}

const anonymous: Caller = { kind: 'anonymous' }

const noUser = (): ProblemError =>
  new ProblemError({
    code: 'no-user',
    detail: 'Only ping and createAdminUser answer until this host has a user. Create one first.',
  })

async function checkLogin({ authorization = '', door, peer, context }: Facts): Promise<Caller> {
  const login = readBasicLogin(authorization)
  // Who may open the socket may read the hashes, too: there is nothing to guess there.
  const from = door === 'socket' ? undefined : peerNetwork(peer ?? 'gone')
  const verdict = login ? await context.accounts.verify(login, from) : 'refused'
  if (verdict === 'no-user') throw noUser()
  if (login && verdict === 'good') return { kind: 'user', user: login.user }
  const detail = 'No user of this host has this name and this password. Users belong to one host each.'
  throw new ProblemError({ code: 'login-refused', detail })
}

function letBootstrap({ door, peer, context }: Facts): Caller {
  if (door === 'socket') return { kind: 'socket' }
  if (isLoopback(peer) || context.remoteBootstrap) return anonymous
  throw new ProblemError({
    code: 'remote-bootstrap',
    detail:
      'This host has no user yet, and a call from another host may not create the first one. ' +
      'Set rest-api-admin-user and install again, make this call on the host itself over its loopback ' +
      'address, or set rest-api-remote-bootstrap: true and install again.',
  })
}

/**
 * Who makes a call of this kind; throws the 401 or 403 for who may not. The socket needs no login, but one
 * that is sent there is checked (contract.md, "Common to the three components").
 */
export async function authenticate(facts: Facts): Promise<Caller> {
  const { auth, authorization, door, context } = facts
  if (auth === 'none') return anonymous
  if (auth === 'optional') {
    if (authorization === undefined) return door === 'socket' ? { kind: 'socket' } : anonymous
    // The answer is for everybody: a login that cannot be checked only learns no more than they.
    return checkLogin(facts).catch(() => anonymous)
  }
  if (auth === 'bootstrap' && (await context.accounts.users()).length === 0) return letBootstrap(facts)
  if (authorization !== undefined) return checkLogin(facts)
  if (door === 'socket') return { kind: 'socket' }
  if ((await context.accounts.users()).length === 0) throw noUser()
  throw new ProblemError({ code: 'login-required', detail: 'Send user and password by HTTP Basic.' })
}
