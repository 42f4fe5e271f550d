import { Value } from 'typebox/value'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApiContext } from '../../../src/api/apiContext.ts'
import type { Events } from '../../../src/base/eventStreams.ts'
import { replaceMap } from '../../../src/components/editMap.ts'
import { createManagerFeed } from '../../../src/components/manager/managerFeed.ts'
import type { Switcher } from '../../../src/components/manager/switch/switcher.ts'
import { createTaskTable } from '../../../src/components/manager/switch/taskTable.ts'
import type { ConnectorStatusPayload } from '../../../src/contracts/connectorPayloads.ts'
import type { ManagerEventPayload, TaskPayload } from '../../../src/contracts/managerPayloads.ts'
import { ManagerEventPayload as EventSchema } from '../../../src/contracts/managerPayloads.ts'
import { managed, writes } from './managedService.ts'
import { answered, channel, refusing } from './support.ts'

const online: ConnectorStatusPayload = {
  value: 'ONLINE',
  since: '2025-03-10T10:00:00.000Z',
  by: 'installation',
  reason: null,
  active: 4,
  held: 0,
  created: 11,
  expiresAt: null,
  datasources: [{ service: 'alpha', name: 'db2', active: 3, created: 9 }],
}

/** A feed of a manager with three data sources, and what its streams sent. */
async function feeding() {
  const service = managed()
  await service.agree()
  const { clock } = service
  const connector: { status: ConnectorStatusPayload | null; asked: number } = { status: online, asked: 0 }
  let tell: (task: TaskPayload) => void = () => undefined
  const tasks = createTaskTable(clock.now, (task) => tell(task))
  const switcher = {
    tasks: tasks.latest,
    onTask: (listener: typeof tell) => {
      tell = listener
      return () => undefined
    },
  } as Partial<Switcher> as Switcher
  const member = { service: 'alpha', datasource: 'db1', witness: false }
  const errors: object[] = []
  const create = () => {
    const feed = createManagerFeed(
      {
        manager: service.manager(),
        identity: { cluster: 'one', host: 'host1', member, parentPid: () => 1 },
        askConnector: async () => {
          connector.asked += 1
          return connector.status
        },
        switcher,
      },
      {
        after: clock.after,
        log: { info: () => undefined, warn: () => undefined, error: (facts) => void errors.push(facts) },
      },
    )
    onTestFinished(() => feed.close())
    return feed
  }
  let feed = create()
  const context = {
    uptime: () => clock.elapsed(),
    now: clock.now,
    pid: 7,
  } as Partial<ApiContext> as ApiContext
  let expiry = new Date('2026-01-01T00:00:00Z')
  const full = { ...context, certificate: () => ({ expiry, rejected: undefined }) }

  /** Opens a stream; what it sent so far is cleared by `next`. */
  async function open(lastEventId?: string) {
    const call = { lastEventId } as Parameters<typeof feed.served.handle>[0]
    const events = (await feed.served.handle(call, full)) as Events
    const ids: string[] = []
    let received: ManagerEventPayload[] = []
    let end = (): void => undefined
    events({
      send: () => undefined,
      sendBytes: (bytes) => {
        for (const frame of bytes.toString().split('\n\n').slice(0, -1)) {
          const [, id = '', data = ''] = /^id: (.*)\ndata: (.*)$/.exec(frame) ?? []
          const { payloadType, payload } = JSON.parse(data)
          expect(payloadType).toBe('ManagerEventPayload')
          expect([...Value.Errors(EventSchema, payload)]).toEqual([])
          ids.push(id)
          received.push(payload)
        }
      },
      end: () => undefined,
      onEnd: (work) => {
        end = work
      },
    })
    return {
      next: (): readonly ManagerEventPayload[] => {
        const all = received
        received = []
        return all
      },
      lastId: () => ids.at(-1),
      end: () => end(),
    }
  }
  return {
    ...service,
    open,
    connector,
    tasks,
    errors,
    renew: () => {
      expiry = new Date('2027-01-01T00:00:00Z')
    },
    restartFeed: () => {
      feed.close()
      feed = create()
    },
  }
}

const kinds = (events: readonly ManagerEventPayload[]): readonly string[] => events.map(({ kind }) => kind)

describe('the events of a manager', () => {
  it('begin with everything that the other calls show', async () => {
    const { open, tasks } = await feeding()
    tasks.add({ id: 'first', operation: 'switch', service: 'alpha', step: 'check' }).fail('It failed.')
    tasks.add({ id: 'second', operation: 'switch', service: 'alpha', step: 'check' })
    const [snapshot, ...rest] = (await open()).next()
    expect(rest).toEqual([])
    expect(snapshot).toMatchObject({
      kind: 'snapshot',
      time: '2025-03-10T10:12:18.000Z',
      cluster: 'one',
      host: 'host1',
      manager: { dataSourceName: 'db1', state: 'ONLINE', tlsCertificateExpiry: '2026-01-01T00:00:00.000Z' },
      services: [
        {
          name: 'alpha',
          policy: 'AUTOMATIC',
          writer: { datasource: 'db1' },
          datasources: [
            { name: 'db1', role: 'primary', follows: null, connections: { active: 0, created: 0 } },
            { name: 'db2', role: 'replica', follows: 'db1', connections: { active: 3, created: 9 } },
            { name: 'db3', role: 'replica', follows: 'db1' },
          ],
        },
      ],
      tasks: [{ taskId: 'second', state: 'in_progress' }],
      connector: { name: 'host1', status: { value: 'ONLINE', active: 4 } },
    })
  })

  it('tell of a failure in the same turn as the verdict, as the whole new data source and service', async () => {
    const { open, see } = await feeding()
    const stream = await open()
    stream.next()
    let isLater = false
    setImmediate(() => {
      isLater = true
    })
    // The third failed check in a row is the verdict.
    await see('db1', refusing, 3)
    const told = stream.next()
    expect(isLater).toBe(false)
    expect(kinds(told)).toEqual(['datasource', 'datasource', 'service'])
    expect(told).toMatchObject([
      { datasource: { name: 'db1', state: 'ONLINE', reason: expect.stringContaining('cannot be reached') } },
      { datasource: { name: 'db1', service: 'alpha', role: 'primary', state: 'FAILED', by: 'manager' } },
      { service: { name: 'alpha', policy: 'AUTOMATIC', writer: { datasource: null } } },
    ])
    expect(told[2]).not.toHaveProperty('service.datasources')
  })

  it('are none while checks find the same, however often, and while only counters of checks differ', async () => {
    const { open, agree, pass, see } = await feeding()
    const stream = await open()
    stream.next()
    for (let round = 0; round < 20; round += 1) {
      await agree()
      await pass(1000)
    }
    await see('db1', writes('db1'), 20)
    expect(stream.next()).toEqual([])
  })

  it('tell of whole seconds of lag, of states and policies set by people, and of a switch step by step', async () => {
    const { open, see, manager, operate, tasks } = await feeding()
    const stream = await open()
    stream.next()
    const behind = (secondsBehind: number) =>
      answered({ serverId: 2, channels: [{ ...channel, secondsBehind }] })
    for (const seconds of [5, 5, 6]) await see('db2', behind(seconds))
    expect(stream.next()).toMatchObject([
      { kind: 'datasource', datasource: { name: 'db2', appliedLatency: 5 } },
      { kind: 'datasource', datasource: { name: 'db2', appliedLatency: 6 } },
    ])
    manager().setPolicy('alpha', 'MANUAL')
    expect(stream.next()).toMatchObject([
      { kind: 'service', service: { policy: 'MANUAL' } },
      { kind: 'manager', manager: { policyMode: 'MANUAL' } },
    ])
    await operate('shun', 'db3')
    expect(stream.next()).toMatchObject([
      { kind: 'datasource', datasource: { name: 'db3', state: 'SHUNNED', by: 'admin' } },
    ])
    const task = tasks.add({ id: 'x', operation: 'switch', service: 'alpha', step: 'check' })
    task.begin('hold')
    task.begin('drain')
    task.complete({ oldPrimary: 'db1', newPrimary: 'db2', heldMilliseconds: 96, remarks: [] })
    expect(stream.next()).toMatchObject([
      { kind: 'task', task: { step: 'check' } },
      { kind: 'task', task: { step: 'hold' } },
      { kind: 'task', task: { step: 'drain' } },
      { kind: 'task', task: { state: 'complete', result: { newPrimary: 'db2' } } },
    ])
  })

  it('tell of connections and of the connector at most once a second, also of one that does not respond', async () => {
    const { open, connector, pass } = await feeding()
    const stream = await open()
    stream.next()
    connector.status = {
      ...online,
      active: 5,
      datasources: [{ service: 'alpha', name: 'db2', active: 4, created: 10 }],
    }
    await pass(900)
    expect(stream.next()).toEqual([])
    await pass(100)
    expect(stream.next()).toMatchObject([
      { kind: 'datasource', datasource: { name: 'db2', connections: { active: 4, created: 10 } } },
      { kind: 'connector', connector: { status: { active: 5 } } },
    ])
    connector.status = null
    await pass(1000)
    expect(stream.next()).toMatchObject([
      ...['db1', 'db2', 'db3'].map((name) => ({
        kind: 'datasource',
        datasource: { name, connections: null },
      })),
      { kind: 'connector', connector: { name: 'host1', status: null } },
    ])
    expect(connector.asked).toBe(3)
  })

  it('tell every stream of a new certificate, whoever opened another one meanwhile', async () => {
    const { open, renew, pass } = await feeding()
    const stream = await open()
    stream.next()
    renew()
    await open()
    await pass(1000)
    expect(stream.next()).toMatchObject([
      { kind: 'manager', manager: { tlsCertificateExpiry: '2027-01-01T00:00:00.000Z' } },
    ])
  })

  it('are a snapshot where the services map is another one', async () => {
    const { open, manager } = await feeding()
    const stream = await open()
    stream.next()
    manager().editMap('admin', () => ({ map: { services: [] }, changed: true }))
    expect(stream.next()).toMatchObject([{ kind: 'snapshot', services: [] }])
    manager().editMap('admin', (map) => replaceMap(map, manager().installed))
    expect(stream.next()).toMatchObject([{ kind: 'snapshot', services: [{ name: 'alpha' }] }])
  })

  it('go on after the last one that a caller saw, with all that it missed', async () => {
    const { open, operate } = await feeding()
    const stream = await open()
    const id = stream.lastId()
    stream.end()
    await operate('shun', 'db3')
    await operate('recover', 'db3')
    expect((await open(id)).next()).toMatchObject([
      { kind: 'datasource', datasource: { name: 'db3', state: 'SHUNNED' } },
      { kind: 'datasource', datasource: { name: 'db3', state: 'OFFLINE' } },
    ])
  })

  it('are a snapshot for who saw those of a manager that was started anew', async () => {
    const { open, restartFeed } = await feeding()
    const first = await open()
    restartFeed()
    const again = await open(first.lastId())
    expect(kinds(again.next())).toEqual(['snapshot'])
    expect(again.lastId()).not.toBe(first.lastId())
  })

  it('ask the connector while somebody follows, and no more a minute after the last one left', async () => {
    const { open, connector, pass, clock } = await feeding()
    await pass(5000)
    expect([connector.asked, clock.pending()]).toEqual([0, 0])
    const stream = await open()
    for (let second = 0; second < 90; second += 1) await pass(1000)
    expect(connector.asked).toBe(91)
    stream.end()
    for (let second = 0; second < 90; second += 1) await pass(1000)
    expect(connector.asked).toBeLessThan(155)
    expect(clock.pending()).toBe(0)
    expect(kinds((await open(stream.lastId())).next())).toEqual(['snapshot'])
  })
})
