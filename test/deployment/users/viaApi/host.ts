import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { hashPassword } from '../../../../src/accounts/passwordHash.ts'
import { parseUserFile, putUser } from '../../../../src/accounts/userFile.ts'
import { changeUserFile } from '../../../../src/accounts/userFileIo.ts'
import type { AccessLevel } from '../../../../src/contracts/accessLevels.ts'
import type { Component } from '../../../../src/contracts/component.ts'
import type { DesiredUsers, HostApi } from '../../../../src/deployment/users/viaApi/apiHost.ts'
import { Secret } from '../../../../src/secrets/secret.ts'
import { portOf } from '../../../support/https.ts'
import { type LoopbackServer, serveTls } from '../../../support/loopbackServer.ts'
import { temporaryFolder } from '../../../support/temporaryFolder.ts'
import { testCost } from '../../../support/testApi.ts'
import { certificate, settingsIn, start } from '../../../support/testServer.ts'

/** An API of a host on loopback, trusted by the certificate of the tests' servers. */
export const apiAt = (port: number, component: Component = 'manager'): HostApi => ({
  component,
  endpoint: {
    kind: 'tcp',
    address: '127.0.0.1',
    port,
    names: ['127.0.0.1'],
    trust: { kind: 'authorities', certificates: [certificate.chain] },
  },
})

/** A host with two components of ours, really serving, that share one user file. */
export async function realHost(
  users: Readonly<Record<string, string>> = {},
  levels: Readonly<Record<string, AccessLevel>> = {},
): Promise<{
  readonly apis: readonly HostApi[]
  readonly names: () => readonly string[]
  readonly levels: () => Readonly<Record<string, AccessLevel>>
}> {
  const folder = temporaryFolder()
  const settings = settingsIn(folder)
  for (const [user, password] of Object.entries(users)) {
    const hash = await hashPassword({
      password: new Secret(password),
      salt: Buffer.alloc(16, 1),
      cost: testCost,
    })
    await changeUserFile(settings.usersFile, (file) =>
      putUser(file, { user, access: levels[user] ?? 'full', hash }),
    )
  }
  const stored = () => parseUserFile(readFileSync(settings.usersFile, 'utf8')).users
  const manager = await start(settings)
  const replicator = await start(settingsIn(folder, { component: 'replicator' }))
  return {
    apis: [apiAt(portOf(manager)), apiAt(portOf(replicator), 'replicator')],
    names: () => stored().map(({ user }) => user),
    levels: () => Object.fromEntries(stored().map(({ user, access }) => [user, access])),
  }
}

/** What a door does with a call: nothing, an answer of its own, or it hands it on and loses the answer. */
export type Fault = 'refuse' | 'lose-answer' | undefined

/** Stands before an API and hands its calls on, but those for which `fault` says otherwise. */
export const frontDoor = (
  port: number,
  fault: (call: { readonly method: string; readonly path: string; readonly body: string }) => Fault,
): Promise<LoopbackServer> =>
  serveTls({ key: certificate.key, cert: certificate.chain }, async (asked, answer) => {
    let body = ''
    for await (const piece of asked) body += piece
    const { method = '', url: path = '', headers } = asked
    const does = fault({ method, path, body })
    if (does === 'refuse') {
      answer.writeHead(500, { 'Content-Type': 'application/json' })
      const payload = { status: 500, code: 'internal', title: 'Fault', detail: 'The disk is full.' }
      answer.end(JSON.stringify({ payloadType: 'ProblemPayload', payloadVersion: '1', payload }))
      return
    }
    const on = request({ host: '127.0.0.1', port, method, path, headers, ca: certificate.chain }, (came) => {
      if (does === 'lose-answer') {
        asked.socket.destroy()
        return
      }
      answer.writeHead(came.statusCode ?? 0, came.headers)
      came.pipe(answer)
    })
    on.end(body)
  })

export const user = (
  name: string,
  password?: string,
  access: AccessLevel = 'full',
): DesiredUsers['users'][number] => ({
  user: name,
  access,
  ...(password !== undefined && { password: new Secret(password) }),
})

export const desired = (changes: Partial<DesiredUsers>): DesiredUsers => ({
  host: 'db1',
  apis: [],
  users: [user('admin', 'right')],
  logins: [],
  prune: false,
  ...changes,
})
