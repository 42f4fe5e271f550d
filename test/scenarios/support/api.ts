import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type CallRequest, callAll } from '../../../src/client/call.ts'
import type { Component } from '../../../src/contracts/component.ts'
import type { Operator } from './operator.ts'
import type { Host } from './world.ts'

type Login = {
  readonly operator: Operator
  readonly host: Host
  readonly component: Component
  readonly user?: string
  readonly password: string
  /** PEM of an authority that is trusted besides the cluster's own. */
  readonly trusts?: string | undefined
}

/** The status that an API gives to a login over TCP and TLS, its certificate verified; or why there is none. */
export const logIn = (login: Login): Promise<number | string> =>
  answerTo(login, { method: 'GET', path: `/api/v2/user/${encodeURIComponent(login.user ?? 'admin')}` })

/** Changes a password as an administrator does who does not know of muster. */
export const changePassword = (login: Login, password: string): Promise<number | string> =>
  answerTo(login, {
    method: 'POST',
    path: '/api/v2/createAdminUser?i-am-sure=true',
    body: { payloadType: 'credentials', payload: { user: login.user ?? 'admin', pass: password } },
  })

/** Asks a component to change something; `path` stands below `/api/v2/`. */
export const order = (login: Login, path: string): Promise<number | string> =>
  answerTo(login, { method: 'POST', path: `/api/v2/${path}?i-am-sure=true` })

async function answerTo(
  login: Login,
  call: Pick<CallRequest, 'method' | 'path' | 'body'>,
): Promise<number | string> {
  const { operator, host, component, user = 'admin', password, trusts } = login
  const authority = readFileSync(join(operator.directory, '.muster/alpha/authority.crt'), 'utf8')
  const [result] = await callAll([
    {
      ...call,
      id: component,
      target: {
        address: host.address,
        port: host.ports[component],
        authorities: trusts === undefined ? [authority] : [authority, trusts],
      },
      credentials: { user, password },
      timeout: 25_000,
    },
  ])
  if (result === undefined) return 'no result'
  return 'status' in result ? result.status : result.error.code
}

/** Whether anybody takes a connection there. */
export const listens = (place: { path: string } | { host: string; port: number }): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(place)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
