import { describe, expect, it } from 'vitest'
import type { DesiredUsers } from '../../../src/deployment/users/viaApi/apiHost.ts'
import { askHost, askHosts } from '../../../src/deployment/users/viaApi/askHosts.ts'
import { userCalls } from '../../../src/deployment/users/viaApi/changeHost.ts'
import { describeChange, planChanges } from '../../../src/deployment/users/viaApi/planChanges.ts'
import { apiOnlyTransport } from '../../../src/deployment/users/viaApi/reachableApis.ts'
import { verifyUsers } from '../../../src/deployment/users/viaApi/verifyUsers.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { serveTls } from '../../support/loopbackServer.ts'
import { freePort } from '../../support/ports.ts'
import { certificate } from '../../support/testServer.ts'
import { apiAt, desired, realHost, user } from './viaApi/host.ts'

const { signal } = new AbortController()
const login = (name: string, password: string) => ({ user: name, password: new Secret(password) })

/** Asks, changes and proves one host; tells what was done. */
async function apply(wanted: DesiredUsers): Promise<readonly string[]> {
  const asked = await askHost(wanted, signal)
  const planned = planChanges(wanted, asked)
  if (planned instanceof Error) throw planned
  for (const { step } of userCalls({ desired: wanted, asked, changes: planned.changes }).steps) {
    await step.apply(apiOnlyTransport('db1'))
  }
  await verifyUsers(wanted, signal)
  return planned.changes.map(describeChange)
}

describe('users changed through the APIs', () => {
  it('are created: the first without a login, the others with it', async () => {
    const { apis, names } = await realHost()
    const wanted = desired({ apis, users: [user('admin', 'right'), user('ops', 'other')] })
    expect(await apply(wanted)).toEqual(['create the administrator admin', 'create the administrator ops'])
    expect(names()).toEqual(['admin', 'ops'])
    expect(await apply(wanted)).toEqual([])
  })

  it('are reset with the replaced password, and missing ones are added', async () => {
    const { apis, names } = await realHost({ admin: 'old' })
    const users = [user('ops', 'other'), user('admin', 'new')]
    const wanted = desired({ apis, users, logins: [login('admin', 'old')] })
    expect(await apply(wanted)).toEqual(['create the administrator ops', 'reset the password of admin'])
    expect(names()).toEqual(['admin', 'ops'])
    await expect(askHost(desired({ apis, users: [user('admin', 'old')] }), signal)).rejects.toMatchObject({
      code: 'no-login',
    })
  })

  it("are changed with the operator's login, and extra ones removed only with --prune", async () => {
    const { apis, names } = await realHost({ stranger: 'strange' })
    const logins = [login('nobody', 'x'), login('stranger', 'strange')]
    expect(await apply(desired({ apis, logins }))).toEqual(['create the administrator admin'])
    expect(names()).toEqual(['stranger', 'admin'])
    expect(await apply(desired({ apis, logins, prune: true }))).toEqual(['remove the user stranger'])
    expect(names()).toEqual(['admin'])
  })

  it('are removed with the login itself last', async () => {
    const { apis, names } = await realHost({ stranger: 'strange', other: 'o' })
    const wanted = desired({ apis, logins: [login('stranger', 'strange')], prune: true })
    expect(await apply(wanted)).toHaveLength(3)
    expect(names()).toEqual(['admin'])
  })

  it('are unchanged without a known password, which a missing user needs', async () => {
    const { apis } = await realHost({ admin: 'right' })
    const here = desired({ apis, users: [user('admin', 'right'), user('ops')] })
    const planned = planChanges(here, await askHost(here, signal))
    expect(planned).toMatchObject({ code: 'password-needed', message: expect.stringContaining('ops') })
    const only = desired({ apis, users: [user('admin')], logins: [login('admin', 'right')] })
    expect(await verifyUsers(here, signal)).toBe('logins verified, except ops: password unknown here')
    expect(await verifyUsers(only, signal)).toBe('every API answers')
    expect(await apply(only)).toEqual([])
    expect(
      planChanges(
        { ...only, prune: true },
        {
          present: ['admin', 'x'].map((name) => ({ user: name, access: 'full' })),
          upToDate: [],
          previousLogins: [],
        },
      ),
    ).toMatchObject({
      code: 'no-login',
    })
  })

  it('get the levels of the file: who gets full comes first, and a level alone keeps the password', async () => {
    const { apis, levels } = await realHost(
      { admin: 'right', ops: 'other', grafana: 'g' },
      { ops: 'operate', grafana: 'full' },
    )
    const users = [
      user('grafana', 'g', 'read'),
      user('admin', 'right', 'operate'),
      user('ops', 'other'),
      user('new', 'n', 'read'),
    ]
    const wanted = desired({ apis, users })
    expect(await apply(wanted)).toEqual([
      'set the access level full for ops',
      'set the access level read for grafana',
      'set the access level operate for admin',
      'create the read user new',
    ])
    expect(levels()).toEqual({ admin: 'operate', ops: 'full', grafana: 'read', new: 'read' })
    expect(await apply(wanted)).toEqual([])
    const reset = desired({ apis, users: [user('new', 'again', 'operate'), ...users.slice(0, 3)] })
    expect(await apply(reset)).toEqual(['reset the password of new, set the access level operate for new'])
    expect(levels().new).toBe('operate')
  })

  it('are changed by the login that has the level full, although others are accepted, too', async () => {
    const { apis, levels } = await realHost({ grafana: 'g', admin: 'kept', ops: 'o' }, { grafana: 'read' })
    const users = [user('grafana', 'g', 'read'), user('admin'), user('ops', 'o', 'operate')]
    expect(await apply(desired({ apis, users, logins: [login('admin', 'kept')] }))).toEqual([
      'set the access level operate for ops',
    ])
    expect(levels()).toEqual({ grafana: 'read', admin: 'full', ops: 'operate' })
    const lower = desired({ apis, users: [user('grafana', 'g', 'read'), user('new', 'n')] })
    expect(planChanges(lower, await askHost(lower, signal))).toMatchObject({
      code: 'no-login',
      message: expect.stringContaining('only grafana is accepted, with read'),
    })
    expect(planChanges({ ...lower, users: lower.users.slice(0, 1) }, await askHost(lower, signal))).toEqual({
      changes: [],
      extra: ['admin', 'ops'],
    })
  })

  it('are not changed where nobody would keep the level full, or a level needs an unknown password', async () => {
    const { apis, levels } = await realHost({ admin: 'right', ops: 'o' }, { ops: 'read' })
    const lowered = desired({ apis, users: [user('admin', 'right', 'operate')] })
    expect(planChanges(lowered, await askHost(lowered, signal))).toMatchObject({ code: 'last-user' })
    const unknown = desired({ apis, users: [user('admin', 'right'), user('ops', undefined, 'operate')] })
    expect(planChanges(unknown, await askHost(unknown, signal))).toMatchObject({
      code: 'password-needed',
      message: expect.stringContaining('ops has the access level read instead of operate'),
    })
    const empty = desired({ apis: (await realHost()).apis, users: [user('grafana', 'g', 'read')] })
    expect(planChanges(empty, await askHost(empty, signal))).toMatchObject({ code: 'last-user' })
    expect(levels()).toEqual({ admin: 'full', ops: 'read' })
    await expect(verifyUsers(lowered, signal)).rejects.toMatchObject({ code: 'access-not-proved' })
  })

  it('are reported per host if it cannot be changed', async () => {
    const { apis } = await realHost({ admin: 'other' })
    const refusing = await serveTls({ key: certificate.key, cert: certificate.chain }, (request, answer) => {
      const [status, code] =
        request.method === 'POST'
          ? [403, 'remote-bootstrap']
          : request.url === '/api/v2/ping'
            ? [200, '']
            : [401, 'no-user']
      const ping = { message: 'm', date: 'd', hostName: 'h', pid: 1, jvmUptime: 1 }
      const payload = status === 200 ? ping : { status, code, title: 'No', detail: 'Not so.' }
      answer.writeHead(status, { 'Content-Type': 'application/json' })
      answer.end(JSON.stringify({ payloadType: 'P', payloadVersion: '1', payload }))
    })
    const locked = await serveTls({ key: certificate.key, cert: certificate.chain }, (_, answer) => {
      answer.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '280' })
      answer.end('{}')
    })
    const closed = await freePort()
    const told: string[] = []
    const results = await askHosts({
      desiredUsers: [
        desired({ host: 'db1', apis, logins: [login('ops', 'x')] }),
        desired({ host: 'db2', apis: [apiAt(refusing.port)] }),
        desired({ host: 'db3', apis: [apiAt(locked.port)] }),
        desired({ host: 'db4', apis: [apiAt(closed)] }),
        desired({
          host: 'db5',
          apis: apis.map((api) => ({
            ...api,
            endpoint: { ...api.endpoint, kind: 'tcp', names: ['db5'] } as never,
          })),
        }),
      ],
      forks: undefined,
      signal,
      emit: (event) => {
        if (event.type === 'host-failed') told.push(event.host)
      },
    }).finally(() => Promise.all([refusing.close(), locked.close()]))
    expect([...told].sort()).toEqual(['db1', 'db2', 'db3', 'db4', 'db5'])
    const lines = results.map((one) =>
      'failure' in one
        ? `${one.desired.host} ${one.unreachable} ${one.failure.code}: ${one.failure.message}\n  ${one.failure.fix}`
        : `${one.desired.host} asked`,
    )
    expect(lines.join('\n').replace(/:\d{4,5}\b/g, ':PORT')).toMatchInlineSnapshot(`
      "db1 false no-login: the manager at https://127.0.0.1:PORT has users, but it rejected every login whose password is known here: admin and ops
        Log in as an existing user: --login USER with --login-password-file FILE or --login-password-stdin.
      db2 false remote-bootstrap: the host has no user yet, and the manager at https://127.0.0.1:PORT does not allow another host to create the first one
        Run \`muster install\` or \`muster users apply\` over SSH, which need no API login; or run this on db2; or set rest-api-remote-bootstrap: true and install.
      db3 false locked-out: the manager at https://127.0.0.1:PORT rejects all logins from here for 280 s: too many logins failed
        Wait, then run the command again with correct credentials: --login USER with --login-password-file FILE.
      db4 true connection-refused: The connection to https://127.0.0.1:PORT was refused: nothing listens there.
        Check the address and the port, and that the API runs and listens on that address.
      db5 false certificate-names: The certificate of https://127.0.0.1:PORT is for DNS:localhost, IP Address:127.0.0.1, not for db5.
        Call the host by a name in its certificate, or install a certificate with this name."
    `)
  })
})
