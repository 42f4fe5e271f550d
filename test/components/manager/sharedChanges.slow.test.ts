import { describe, expect, it } from 'vitest'
import type { ChangeOrder, ManagerAnswer } from '../../../src/components/manager/askManagers.ts'
import type { ServedManager } from '../../../src/components/manager/managerCalls.ts'
import { managerRoutes } from '../../../src/contracts/managerRoutes.ts'
import { callOf, type RouteCall } from '../../../src/contracts/routeCall.ts'
import type { ServicesMap } from '../../../src/contracts/servicesMap.ts'
import { idle, rolesTo } from './managedService.ts'
import {
  fakeMonitor,
  headers,
  installed,
  lockedOut,
  managerIn,
  place,
  refusing,
  replicating,
  sure,
} from './support.ts'

const names = ['db1', 'db2', 'db3'] as const
type Name = (typeof names)[number]
type Opened = Awaited<ReturnType<typeof managerIn>>

const away = (name: string): ManagerAnswer => ({
  name,
  code: 'manager-unreachable',
  problem: `The manager of ${name} does not answer.`,
})

/** Three managers that call each other's API; `fault` says what becomes of a call instead. */
async function three(
  more: {
    readonly fault?: (name: string, path: string) => ManagerAnswer | undefined
    readonly updateConnector?: (name: Name) => Promise<string | undefined>
  } = {},
) {
  const { fault = () => undefined } = more
  const opened = new Map<string, Opened>()
  const calls: string[] = []
  let now = fault

  async function call(name: string, { path, body }: RouteCall): Promise<ManagerAnswer> {
    const [, last = ''] = /([^/]+?)[?&]i-am-sure=true$/.exec(path) ?? []
    calls.push(`${name} ${last.replace(/[0-9a-f-]{36}/, 'ID')}`)
    const found = now(name, path)
    if (found) return found
    const answer = await opened.get(name)?.api.call({
      method: 'POST',
      url: path,
      headers,
      ...(body === undefined ? {} : { payload: body as object }),
    })
    const { payload } = answer?.json() ?? {}
    if (answer?.statusCode !== 200) {
      return { name, code: payload.code, problem: `The manager of ${name} answers: ${payload.detail}` }
    }
    return { name, changed: payload.changed, remarks: payload.remarks ?? [] }
  }
  const othersOf = (own: Name): NonNullable<ServedManager['others']> => {
    const asked = names.filter((name) => name !== own)
    return {
      names: asked,
      change: ({ call: made, names: chosen }: ChangeOrder) =>
        Promise.all(chosen.map((name) => call(name, made))),
      undo: ({ id, names: chosen }) =>
        Promise.all(chosen.map((name) => call(name, callOf(managerRoutes.managerUndo, { change: id })))),
    }
  }
  for (const name of names) {
    opened.set(
      name,
      await managerIn({
        host: name,
        monitor: fakeMonitor(),
        others: othersOf(name),
        updateConnector: async () => more.updateConnector?.(name),
      }),
    )
  }
  const at = (name: Name): Opened => opened.get(name) as Opened
  return {
    at,
    calls,
    fail: (next: typeof fault) => {
      now = next
    },
    states: (source: Name): readonly string[] =>
      names.map((name) => at(name).manager.view({ service: 'alpha', name: source }).state),
    maps: (): readonly ServicesMap[] => names.map((name) => at(name).manager.map()),
  }
}

const toDb1 = { type: 'ServicesMapPayload', body: rolesTo('db1') }
const toDb2 = { type: 'ServicesMapPayload', body: rolesTo('db2') }
const db4 = { service: 'alpha', name: 'db4', host: '10.0.0.4', port: 3306, role: 'replica' }
const mapPath = 'configuration/module/servicesmap'

describe('a change by one manager of several', () => {
  it('of a state reaches all of them, and says who has it', async () => {
    const { at, states, calls } = await three()
    const { status, payload } = await at('db1').control('db3', 'shun')
    expect({ status, payload }).toMatchObject({
      status: 200,
      payload: { state: 'SHUNNED', changed: true, managers: ['db1', 'db2', 'db3'] },
    })
    expect(payload.remarks).toBeUndefined()
    expect(states('db3')).toEqual(['SHUNNED', 'SHUNNED', 'SHUNNED'])
    expect(calls).toEqual([
      'db2 shun?peers=check&change=ID',
      'db3 shun?peers=check&change=ID',
      'db2 shun?peers=alone&change=ID',
      'db3 shun?peers=alone&change=ID',
    ])
    expect(await at('db2').control('db3', 'welcome')).toMatchObject({ status: 200 })
    expect(states('db3')).toEqual(['ONLINE', 'ONLINE', 'ONLINE'])
  })

  it('of the map leaves the same one everywhere, also where they differed before', async () => {
    const { at, maps } = await three()
    expect(await at('db2').post(mapPath, toDb2, `${sure}&peers=alone`)).toMatchObject({ status: 200 })
    expect(maps()).toEqual([installed, toDb2.body, installed])
    expect(await at('db1').post('addDataSource', { type: 'DataSourcePayload', body: db4 })).toMatchObject({
      payload: { changed: true, managers: names },
    })
    const [first, ...rest] = maps()
    expect(first?.services[0]?.datasources).toHaveLength(4)
    expect(rest).toEqual([first, first])
    expect(await at('db3').post('reset')).toMatchObject({
      payload: { changed: true, managers: ['db3', 'db1', 'db2'] },
    })
    expect(maps()).toEqual([installed, installed, installed])
  })

  it('of a policy, and of a whole service, reaches all of them', async () => {
    const { at, states } = await three()
    expect(await at('db1').post('control/service/alpha/policy/maintenance')).toMatchObject({
      payload: { policy: 'MAINTENANCE', managers: names },
    })
    expect(names.map((name) => at(name).manager.policy('alpha'))).toEqual(Array(3).fill('MAINTENANCE'))
    await at('db1').post('control/service/alpha/offline')
    expect(states('db2')).toEqual(['OFFLINE', 'OFFLINE', 'OFFLINE'])
    expect(await at('db3').post('control/service/alpha/online')).toMatchObject({
      payload: { changed: true, managers: ['db3', 'db1', 'db2'] },
    })
    expect(states('db2')).toEqual(['ONLINE', 'ONLINE', 'ONLINE'])
  })

  it('is refused by name and changes nothing where another one would refuse it', async () => {
    const { at, states } = await three()
    await at('db2').control('db3', 'shun', `${sure}&peers=alone`)
    expect(await at('db1').control('db3', 'offline')).toMatchObject({
      status: 409,
      payload: { code: 'wrong-state', detail: expect.stringMatching(/manager of db2 .* db3 is SHUNNED/) },
    })
    expect(states('db3')).toEqual(['ONLINE', 'SHUNNED', 'ONLINE'])
    // Nothing is expected any more by those that would have taken it.
    expect(await at('db3').control('db3', 'shun')).toMatchObject({ status: 200 })
  })

  it('asks every manager for the health check before any of them changes', async () => {
    const { at, states } = await three()
    await at('db1').control('db3', 'shun')
    at('db2').monitor.set(place('db3'), refusing)
    const refused = await at('db1').control('db3', 'welcome')
    expect(refused).toMatchObject({
      status: 502,
      payload: { code: 'database-unreachable', detail: expect.stringMatching(/Nothing .* manager of db2/) },
    })
    expect(states('db3')).toEqual(['SHUNNED', 'SHUNNED', 'SHUNNED'])
  })

  it('is only tried with dry=yes, at all of them, which keep nothing for it', async () => {
    const { at, states, maps, calls } = await three()
    const dry = `${sure}&dry=yes`
    const tries = [
      () => at('db1').control('db3', 'shun', dry),
      () => at('db1').post('control/service/alpha/policy/manual', undefined, dry),
      () => at('db1').post('control/service/alpha/offline', undefined, dry),
      () => at('db1').post(mapPath, toDb2, dry),
      () => at('db1').post('addDataSource', { type: 'DataSourcePayload', body: db4 }, dry),
      () => at('db1').control('db3', 'online', dry),
      () => at('db1').post('control/service/alpha/online', undefined, dry),
      () => at('db1').post(mapPath, { type: 'ServicesMapPayload', body: installed }, dry),
    ]
    const answers: unknown[] = []
    for (const each of tries) {
      const { status, payload } = await each()
      answers.push([status, payload.changed, payload.managers])
    }
    const would = [200, true, undefined]
    const nothing = [200, false, undefined]
    expect(answers).toEqual([would, would, would, would, would, nothing, nothing, nothing])
    expect(calls.filter((call) => /alone/.test(call))).toEqual([])
    expect(states('db3')).toEqual(['ONLINE', 'ONLINE', 'ONLINE'])
    expect(maps()).toEqual([installed, installed, installed])
    expect(names.map((name) => at(name).manager.policy('alpha'))).toEqual(Array(3).fill('AUTOMATIC'))
    expect(at('db1').api.auditEntries()[0]).toMatchObject({ parameters: { dry: 'yes' }, changed: false })
    await at('db2').control('db3', 'shun', `${sure}&peers=alone`)
    const refusal = { status: 409, payload: { code: 'wrong-state' } }
    expect(await at('db1').control('db3', 'offline', dry)).toMatchObject(refusal)
    // The same by the one that is called alone.
    const alone = await at('db1').control('db3', 'offline', `${dry}&peers=alone`)
    expect(alone).toMatchObject({ status: 200, payload: { state: 'ONLINE', changed: true } })
    expect(await at('db2').control('db3', 'offline', `${dry}&peers=alone`)).toMatchObject(refusal)
    expect(await at('db3').control('db2', 'shun')).toMatchObject({ status: 200 })
  })

  it('is refused with the name of one that cannot be reached, unless that is taken out or left out', async () => {
    const { at, states, fail } = await three({ fault: (name) => (name === 'db3' ? away(name) : undefined) })
    expect(await at('db1').control('db2', 'shun')).toMatchObject({
      status: 502,
      payload: {
        code: 'manager-unreachable',
        detail: expect.stringMatching(
          /manager of db3 .*nothing was changed.*datasource shun.*--skip-unreachable/,
        ),
      },
    })
    expect(states('db2')).toEqual(['ONLINE', 'ONLINE', 'ONLINE'])
    expect(await at('db1').control('db2', 'shun', `${sure}&peers=reachable`)).toMatchObject({
      payload: {
        managers: ['db1', 'db2'],
        remarks: [expect.stringMatching(/^db3 does not have it: The manager of db3/)],
      },
    })
    expect(await at('db1').control('db3', 'shun')).toMatchObject({
      status: 200,
      payload: { managers: ['db1', 'db2'] },
    })
    // Its own data source is out now, so nobody waits for its word.
    expect(await at('db1').control('db2', 'welcome')).toMatchObject({ status: 200 })
    fail(() => undefined)
    expect(states('db3')).toEqual(['SHUNNED', 'SHUNNED', 'ONLINE'])
  })

  it('is taken back where one could not make it, and names one that may have kept it', async () => {
    const { at, states, fail, maps } = await three({
      fault: (name, path) => (name === 'db3' && path.includes('peers=alone') ? away(name) : undefined),
    })
    const refused = await at('db1').post(mapPath, toDb2)
    expect(refused).toMatchObject({
      status: 502,
      payload: { detail: expect.stringMatching(/manager of db3 did not make the change/) },
    })
    expect(refused.payload.detail).not.toMatch(/all the same/)
    expect(maps()).toEqual([installed, installed, installed])
    fail((name, path) => (name === 'db3' && !path.includes('peers=check') ? away(name) : undefined))
    expect(await at('db1').control('db2', 'shun')).toMatchObject({
      payload: { detail: expect.stringMatching(/db3 may have it all the same.*tapi --all status/) },
    })
    expect(states('db2')).toEqual(['ONLINE', 'ONLINE', 'ONLINE'])
  })

  it('waits for no other: of two at once at most one is made, and both never in part', async () => {
    const { at, maps } = await three()
    const ends = await Promise.all([
      at('db1').post(mapPath, toDb2),
      at('db2').post(mapPath, { ...toDb2, body: rolesTo('db3') }),
    ])
    for (const { status, payload } of ends)
      if (status !== 200) expect(payload).toMatchObject({ code: 'operation-running' })
    const [first, ...rest] = maps()
    expect(rest).toEqual([first, first])
  })
})

describe('a change that was made', () => {
  const busy = 'it answers 503'
  const remarkOf = (host: Name): string =>
    `The connector of ${host} is not known to act on the change yet: ${busy}.`

  it('names each connector that is not known to act on it', async () => {
    const { at } = await three({ updateConnector: async (name) => (name === 'db1' ? undefined : busy) })
    const { status, payload } = await at('db1').control('db3', 'shun')
    expect({ status, payload }).toMatchObject({ status: 200, payload: { changed: true, managers: names } })
    expect(payload.remarks).toEqual([remarkOf('db2'), remarkOf('db3')])
    const whole = await at('db2').post('control/service/alpha/offline', undefined, `${sure}&peers=alone`)
    expect(whole.payload.remarks).toEqual([remarkOf('db2')])
    expect((await at('db3').post(mapPath, toDb1)).payload.remarks).toEqual([remarkOf('db2'), remarkOf('db3')])
    expect((await at('db1').control('db1', 'shun', `${sure}&peers=alone`)).payload.remarks).toBeUndefined()
  })

  it('of the map names a primary that clients do not write to, once, and again when it is repeated', async () => {
    const { at } = await three()
    const remark =
      'The map names db2 as the primary of alpha, but clients write to db1. ' +
      'Correct the map with tapi map, or make db2 the primary with tapi switch.'
    for (const changed of [true, false]) {
      const { status, payload } = await at('db1').post(mapPath, toDb2)
      expect({ status, payload }).toMatchObject({ status: 200, payload: { changed, remarks: [remark] } })
    }
    const alone = await at('db3').post(mapPath, toDb2, `${sure}&peers=alone`)
    expect(alone.payload.remarks).toEqual([remark])
    expect((await at('db1').post(mapPath, toDb1)).payload.remarks).toBeUndefined()
  })

  it.each([
    [/^The map names db1 as the primary of alpha, but nobody can write: db1 is read-only\.$/, idle('db1')],
    [/ db1 .* but it was not seen to take writes\. The database .* cannot be reached: /, refusing],
    [/ db1 .* but it was not seen to take writes\. It cannot be checked\. .* ERROR 1045: /, lockedOut],
  ])('of the map says of the primary that it names: %s', async (words, seen) => {
    const { post, monitor } = await managerIn()
    monitor.set(place('db1'), seen)
    expect((await post('reset')).payload.remarks).toEqual([expect.stringMatching(words)])
    const added = { service: 'alpha', name: 'db4', host: '10.0.0.4', port: 3306, role: 'replica' }
    const add = await post('addDataSource', { type: 'DataSourcePayload', body: added })
    expect(add.payload.remarks).toBeUndefined()
  })

  it('of the map has no remark of a primary that nobody checks', async () => {
    const { post } = await managerIn({ monitor: null })
    expect((await post(mapPath, toDb2)).payload.remarks).toBeUndefined()
  })
})

describe('a replica that is brought back', () => {
  const error = { number: 1045, message: 'Access denied' }

  /** A replica of a service with a writer, shunned or offline, whose receiver is in this state now. */
  const heldOut = async (how: 'shun' | 'offline', more: Parameters<typeof replicating>[0]) => {
    const opened = await managerIn()
    for (const name of names) await opened.monitor.tick(place(name))
    await opened.control('db3', how)
    opened.monitor.set(place('db3'), replicating(more))
    return opened
  }

  it.each([
    ['welcome', 'shun', 'SHUNNED'],
    ['online', 'offline', 'OFFLINE'],
  ] as const)('by %s is refused while it cannot reach the primary', async (back, out, state) => {
    const { control, monitor, status } = await heldOut(out, {
      receiver: 'connecting',
      receiverError: error,
    })
    expect(await control('db3', back)).toMatchObject({
      status: 409,
      payload: {
        code: 'wrong-state',
        detail:
          `db3 does not receive what db1 writes, so it stays ${state}. The receiver cannot connect to the primary, ` +
          'and tries again. ERROR 1045: Access denied.',
      },
    })
    expect((await status('db3')).state).toBe(state)
    monitor.set(place('db3'), replicating())
    expect(await control('db3', back)).toMatchObject({ status: 200, payload: { state: 'ONLINE' } })
  })

  it('is refused while its receiver is stopped', async () => {
    const { control } = await heldOut('shun', { receiver: 'stopped' })
    expect(await control('db3', 'welcome')).toMatchObject({
      status: 409,
      payload: { detail: expect.stringMatching(/so it stays SHUNNED\. The receiver is stopped\.$/) },
    })
  })

  it('is taken while it connects without an error, as it does right after a restart', async () => {
    const { control } = await heldOut('shun', { receiver: 'connecting', receiverError: null })
    expect(await control('db3', 'welcome')).toMatchObject({ status: 200, payload: { state: 'ONLINE' } })
  })

  it('is taken where nobody writes that it could receive from', async () => {
    const { control, monitor } = await heldOut('shun', { receiver: 'connecting', receiverError: error })
    monitor.set(place('db1'), refusing)
    await monitor.tick(place('db1'), 3)
    expect(await control('db3', 'welcome')).toMatchObject({ status: 200 })
  })
})

it('a change of the map is refused while a switch is under way, which names the primary in it', async () => {
  const { manager, post } = await managerIn()
  await manager.check({ service: 'alpha', name: 'db1' })
  const id = '00000000-0000-4000-8000-000000000000'
  const order = { service: 'alpha', id, from: 'db1', to: 'db2', step: 'hold', milliseconds: 5000 } as const
  manager.hold({ ...order, operation: 'switch', by: 'admin', isOwn: false })
  expect(await post(mapPath, toDb2)).toMatchObject({ status: 409, payload: { code: 'operation-running' } })
})
