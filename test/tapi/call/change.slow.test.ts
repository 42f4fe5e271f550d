import { describe, expect, it, onTestFinished } from 'vitest'
import { ClientError } from '../../../src/client/clientError.ts'
import type { Component } from '../../../src/contracts/component.ts'
import type { ProblemCode } from '../../../src/contracts/problems.ts'
import { type Change, readNote } from '../../../src/tapi/call/change.ts'
import type { Call } from '../../../src/tapi/call/prepareCall.ts'
import { type FakeComponent, fakeComponent, type Told } from '../fakeComponent.ts'
import { connectorStatus, replication } from '../payloads.ts'
import { workplace } from '../support.ts'

const noting = (note: Change['note']): Change => ({
  command: 'x',
  request: async () => ({ method: 'POST', path: '/' }),
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

const changesOf = (apis: readonly FakeComponent[]) => apis.map(({ changes }) => changes().length)

const refused: readonly (readonly [ProblemCode, Component, route: string, readonly string[]])[] = [
  ['wrong-state', 'replicator', 'replicatorReset', ['replicator', 'reset']],
  ['no-database', 'connector', 'connectorOnhold', ['connector', 'onhold']],
  ['operation-running', 'manager', 'managerManual', ['policy', 'manual', '--service', 'alpha']],
  ['invalid-map', 'manager', 'managerAddDataService', ['map', 'add-service', 'alpha']],
  ['last-user', 'manager', 'deleteUser', ['delete-user', 'bob']],
]

describe('tapi --all asks every host before it changes one, and', () => {
  it.each(refused)(
    'changes none if one would refuse with %s: the %s, %s',
    async (what, component, route, argv) => {
      const { tapi, apis } = await twoHosts(component, { [`${route} dry`]: { problem: what } })
      const { code, stdout, stderr } = await tapi(...argv)
      expect(stdout).toMatch(/^db1 +\S+ +unchanged *$/m)
      expect(stdout).toMatch(new RegExp(`^db2 +\\S+ +refused +409 ${what}$`, 'm'))
      expect(stderr).toContain('Nothing was changed on any host')
      expect([code, ...changesOf(apis)]).toEqual([1, 0, 0])
    },
  )

  it.each(['online', 'offline', 'reset'] as const)(
    'leaves a primary unchanged, which has no replication for %s',
    async (word) => {
      const { tapi, apis } = await twoHosts('replicator', {})
      for (const route of ['replicatorOnline', 'replicatorOffline', 'replicatorReset']) {
        apis[0]?.answers.set(route, { payload: { alpha: { ...replication, changed: true } } })
        apis[1]?.answers.set(route, { problem: 'not-configured' })
      }
      const { code, stdout, stderr } = await tapi('replicator', word)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^db1 +replicator +done +alpha ONLINE, changed$/m)
      expect(stdout).toMatch(/^db2 +replicator +unchanged +not a replica: nothing to /m)
      expect(changesOf(apis)).toEqual([1, 0])
      expect(JSON.parse((await tapi('--json', 'replicator', word)).stdout)[1]).toMatchObject({
        host: 'db2',
        result: 'unchanged',
      })
    },
  )

  it('makes any call of tapi post without trying it before', async () => {
    const { tapi, apis } = await twoHosts('manager', { version: { problem: 'not-ready' } })
    const argv = ['post', 'manager/reset'] as const
    expect([(await tapi(...argv)).code, ...changesOf(apis)]).toEqual([1, 0, 0])
    apis[1]?.answers.delete('version')
    expect([(await tapi(...argv)).code, ...changesOf(apis)]).toEqual([0, 1, 1])
    expect(apis.flatMap(({ sent }) => sent).filter((one) => one.includes('dry'))).toEqual([])
  })

  it('creates no user if a host needs a login that cannot be made', async () => {
    const { tapi, apis } = await twoHosts('manager', {})
    apis[0]?.answers.set('version', { problem: 'no-user' })
    const { code, stdout } = await tapi('--user', 'bob', 'create-admin-user')
    expect(stdout).toMatch(/^db2 +manager +refused +401 login-refused$/m)
    expect([code, ...changesOf(apis)]).toEqual([1, 0, 0])
  })

  it('skips the hosts that are still waiting when one refuses the change', async () => {
    const { tapi, apis, record } = await twoHosts('connector', {})
    const [{ port, answers } = { port: 0, answers: new Map() }] = apis
    answers.set('connectorOnhold', { problem: 'not-ready' })
    answers.set('connectorOnhold dry', { payload: { ...connectorStatus, datasources: [], changed: true } })
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
    expect(changesOf(apis)).toEqual([32, 0])
  })
})
