import { describe, expect, it, onTestFinished } from 'vitest'
import { ClientError } from '../../../src/client/clientError.ts'
import type { Component } from '../../../src/contracts/component.ts'
import { type Change, readNote } from '../../../src/tapi/call/change.ts'
import type { Call } from '../../../src/tapi/call/prepareCall.ts'
import { type FakeComponent, fakeComponent, type Told } from '../fakeComponent.ts'
import { alpha, db1, map } from '../payloads.ts'
import { workplace } from '../support.ts'

const noting = (note: Change['note']): Change => ({
  command: 'x',
  request: async () => ({ path: '/' }),
  render: String,
  summarize: String,
  ...(note && { note }),
})
const nobody = {} as Call

it('readNote returns nothing if its call fails, since the change is already made', async () => {
  const error = new ClientError({ code: 'reset', message: 'm', fix: 'f' })
  expect(
    await readNote(
      noting(() => Promise.reject(error)),
      nobody,
      1,
    ),
  ).toBeUndefined()
  expect(await readNote(noting(undefined), nobody, 1)).toBeUndefined()
  expect(
    await readNote(
      noting(async (_call, body) => `${body}`),
      nobody,
      1,
    ),
  ).toBe('1')
})

it('readNote does not hide other errors', async () => {
  const failing = noting(() => Promise.reject(new TypeError('ours')))
  await expect(readNote(failing, nobody, 1)).rejects.toThrow('ours')
})

const login = { user: 'admin', password: 'right' }

/** Two hosts with one component each; the second one answers as told. */
async function twoHosts(component: Component, second: Readonly<Record<string, Told>>, more: object[] = []) {
  const place = await workplace()
  const apis = [await fakeComponent(component, login), await fakeComponent(component, login)]
  for (const [name, told] of Object.entries(second)) apis[1]?.answers.set(name, told)
  onTestFinished(async () => {
    await Promise.all(apis.map((api) => api.close()))
    await place.remove()
  })
  await place.record(
    'alpha',
    apis.map(({ port }, index) => ({
      name: `db${index + 1}`,
      address: '127.0.0.1',
      apis: [{ component, address: '0.0.0.0', port }, ...(index === 1 ? more : [])],
    })),
  )
  const env = { TAPI_USER: login.user, TAPI_PASSWORD: login.password, TAPI_NEW_PASSWORD: 'something long' }
  const tapi = (...argv: readonly string[]) => place.run(['--all', ...argv, '--yes'], { env })
  return { tapi, apis, record: place.record }
}

const posts = (apis: readonly FakeComponent[]) =>
  apis.map(({ sent }) => sent.filter((one) => one.startsWith('POST')).length)

const replica = (receiver: 'running' | 'stopped') => ({
  role: 'replica',
  state: receiver === 'running' ? 'ONLINE' : 'OFFLINE:NORMAL',
  receiver,
  applier: receiver,
  positioning: 'gtid',
  takenOffline: null,
  appliedLastEventId: null,
  appliedLastSeqno: null,
  appliedLatency: null,
  relativeLatency: null,
  currentEventId: null,
  pendingError: null,
  pendingErrorCode: null,
  pendingExceptionMessage: null,
  dataServerHost: '10.0.0.11',
  masterConnectUri: 'mysql://10.0.0.11:3306',
})
const primary = {
  ...replica('stopped'),
  role: 'primary',
  state: 'ONLINE',
  positioning: null,
  masterConnectUri: null,
}
const changed = { alpha: { ...replica('running'), changed: true } }

const refused: readonly (readonly [string, Component, Readonly<Record<string, Told>>, readonly string[]])[] =
  [
    [
      '409 no-database',
      'replicator',
      { replicatorStatus: { problem: 'no-database' } },
      ['replicator', 'online'],
    ],
    [
      '409 wrong-state',
      'replicator',
      { replicatorStatus: { payload: { alpha: replica('running') } } },
      ['replicator', 'reset'],
    ],
    [
      '404 not-found',
      'replicator',
      { replicatorServiceStatus: { problem: 'not-found' } },
      ['replicator', 'offline', 'beta'],
    ],
    [
      '409 no-database',
      'connector',
      { connectorServicesMap: { problem: 'no-database' } },
      ['connector', 'onhold'],
    ],
    [
      '404 not-found',
      'manager',
      { managerServiceStatus: { problem: 'not-found' } },
      ['policy', 'manual', '--service', 'alpha'],
    ],
    [
      '404 not-found',
      'manager',
      { managerServiceStatus: { problem: 'not-found' } },
      ['service', 'offline', 'alpha'],
    ],
    [
      '409 wrong-state',
      'manager',
      { managerDatasourceStatus: { payload: { ...db1, state: 'SHUNNED' } } },
      ['datasource', 'online', 'db1', '--service', 'alpha'],
    ],
    [
      '409 already-exists',
      'manager',
      { managerServicesMap: { payload: map } },
      ['map', 'add-service', 'alpha'],
    ],
    [
      '409 unknown-service',
      'manager',
      { managerServicesMap: { payload: { services: [] } } },
      ['map', 'add-datasource', 'db4=replica@db4:3306', '--service', 'alpha'],
    ],
    [
      '409 last-user',
      'manager',
      { users: { payload: [{ user: 'bob', pass: '**obfuscated**', access: 'full' }] } },
      ['delete-user', 'bob'],
    ],
  ]

describe('tapi --all asks every host before it changes one, and', () => {
  it.each(refused)('predicts %s of a %s', async (what, component, answers, argv) => {
    const { tapi, apis } = await twoHosts(component, answers)
    apis[0]?.answers.set('managerServicesMap', {
      payload: { services: argv[1] === 'add-datasource' ? [{ name: 'alpha', datasources: [] }] : [] },
    })
    apis[0]?.answers.set('managerDatasourceStatus', { payload: { ...db1, state: 'OFFLINE' } })
    apis[0]?.answers.set('managerServiceStatus', { payload: alpha })
    apis[0]?.answers.set('replicatorStatus', { payload: { alpha: replica('stopped') } })
    const { code, stdout, stderr } = await tapi(...argv)
    expect(stdout).toMatch(/^db1 +\S+ +unchanged *$/m)
    expect(stdout).toMatch(new RegExp(`^db2 +\\S+ +refused +${what}$`, 'm'))
    expect(stderr).toContain('Nothing was changed on any host')
    expect([code, ...posts(apis)]).toEqual([1, 0, 0])
  })

  it.each(['online', 'offline', 'reset'] as const)(
    'leaves a primary unchanged, which has no replication for %s',
    async (word) => {
      const { tapi, apis } = await twoHosts('replicator', {
        replicatorStatus: { payload: { alpha: primary } },
      })
      apis[0]?.answers.set('replicatorStatus', { payload: { alpha: replica('stopped') } })
      for (const route of ['replicatorOnline', 'replicatorOffline', 'replicatorReset']) {
        apis[0]?.answers.set(route, { payload: changed })
        apis[1]?.answers.set(route, { problem: 'not-configured' })
      }
      const { code, stdout, stderr } = await tapi('replicator', word)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^db1 +replicator +done +alpha ONLINE, changed$/m)
      expect(stdout).toMatch(/^db2 +replicator +unchanged +not a replica: nothing to /m)
      expect(posts(apis)).toEqual([1, 0])
      expect(JSON.parse((await tapi('--json', 'replicator', word)).stdout)[1]).toMatchObject({
        host: 'db2',
        result: 'unchanged',
      })
    },
  )

  it('creates no user if a host needs a login that cannot be made', async () => {
    const { tapi, apis } = await twoHosts('manager', {})
    apis[0]?.answers.set('version', { problem: 'no-user' })
    const { code, stdout } = await tapi('--user', 'bob', 'create-admin-user')
    expect(stdout).toMatch(/^db2 +manager +refused +401 login-refused$/m)
    expect([code, ...posts(apis)]).toEqual([1, 0, 0])
  })

  it('skips the hosts that are still waiting when one refuses the change', async () => {
    const { tapi, apis, record } = await twoHosts('connector', {})
    const [{ port, answers } = { port: 0, answers: new Map() }] = apis
    answers.set('connectorOnhold', { problem: 'not-ready' })
    await record(
      'many',
      Array.from({ length: 40 }, (_, index) => ({
        name: `h${index}`,
        address: '127.0.0.1',
        apis: [{ component: 'connector', address: '0.0.0.0', port }],
      })),
    )
    const { code, stdout } = await tapi('--cluster', 'many', 'connector', 'onhold')
    const skipped = stdout.match(/^h\d+ +connector +skipped +another host failed before$/gm) ?? []
    expect([code, skipped.length]).toEqual([1, 8])
    expect(posts(apis)).toEqual([32, 0])
  })
})
