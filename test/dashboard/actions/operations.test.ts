import { describe, expect, it } from 'vitest'
import { commonRoutes } from '../../../src/contracts/commonRoutes.ts'
import { connectorRoutes } from '../../../src/contracts/connectorRoutes.ts'
import { managerRoutes } from '../../../src/contracts/managerRoutes.ts'
import { replicatorRoutes } from '../../../src/contracts/replicatorRoutes.ts'
import { accessFor, type Route } from '../../../src/contracts/route.ts'
import { dataSourceStates } from '../../../src/contracts/servicesMap.ts'
import {
  connectorOperations,
  dataSourceOperations,
  newUserOperation,
  type Operation,
  receiversOf,
  replicatorOperations,
  serviceOperations,
  userOperations,
} from '../../../src/dashboard/actions/operations.ts'
import { dataSource, host, service, troubledCluster } from '../pictures.ts'

const routes: Readonly<Record<string, Route>> = {
  ...commonRoutes,
  ...managerRoutes,
  ...connectorRoutes,
  ...replicatorRoutes,
}

const connector = (value: 'ONLINE' | 'ONHOLD' | 'OFFLINE') => {
  const it = host({ name: 'db1' }).connector
  if (it === null) throw new Error('no connector')
  return { ...it, value }
}

const offline = [dataSource({ name: 'db1', state: 'OFFLINE' }), dataSource({ name: 'db2' })]

const underWay = {
  taskId: 't',
  state: 'in_progress',
  operation: 'switch',
  service: 'alpha',
  step: 'hold',
  startedAt: '2026-03-10T10:00:00.000Z',
  endedAt: null,
  result: null,
  error: null,
} as const

const lost = { datasource: null, code: null, reason: 'db1 is FAILED', hold: false }

const all: readonly Operation[] = [
  ...dataSourceStates.flatMap((state) => dataSourceOperations(dataSource({ name: 'db2', state }))),
  ...dataSourceOperations(dataSource({ name: 'db1', role: 'primary' })),
  ...dataSourceOperations(dataSource({ name: 'db2', code: 'not-replicating' }), {
    service: service(),
    replicator: 'db2',
  }),
  ...serviceOperations(service(), offline),
  ...serviceOperations(service({ policy: 'MAINTENANCE', writer: lost }), offline),
  ...(['ONLINE', 'ONHOLD', 'OFFLINE'] as const).flatMap((value) =>
    connectorOperations('db1', connector(value)),
  ),
  ...replicatorOperations('db1'),
  ...userOperations('bob'),
  newUserOperation,
]

const titles = (operations: readonly Operation[]) => operations.map(({ title }) => title)
const typed = (operations: readonly Operation[]) =>
  Object.fromEntries(operations.map((it) => [it.title, it.typed]))

describe('the operations of the page', () => {
  it('are calls of the contracts, with the parameters and the level that they have there', () => {
    for (const { call, access } of all) {
      const route = routes[call.route]
      expect(route?.method, call.route).toBe('POST')
      expect(route && accessFor(route), call.route).toBe(access)
      const names = [...(route?.path ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      expect(Object.keys(call.params).sort(), call.route).toEqual(names.sort())
      for (const name of Object.keys(call.query ?? {})) expect(route?.query).toHaveProperty(name)
      expect(call.payload !== undefined, call.route).toBe(route?.request !== null)
    }
  })

  it('reach every call that changes a state, a policy, the primary or a user', () => {
    const reached = new Set(all.map(({ call }) => call.route))
    const missing = Object.values(routes)
      .filter(({ method, name }) => method === 'POST' && !reached.has(name))
      .map(({ name }) => name)
    // Of the services map, of managers among themselves, and of one of several replication services.
    expect(missing.sort()).toEqual([
      'connectorAddDataService',
      'connectorAddDataSource',
      'connectorChangeServicesMap',
      'connectorReset',
      'managerAddDataService',
      'managerAddDataSource',
      'managerChangeServicesMap',
      'managerReset',
      'managerUndo',
      'replicatorServiceOffline',
      'replicatorServiceOnline',
      'replicatorServiceReset',
    ])
  })

  it('are those that the state of a data source allows', () => {
    const of = (state: 'ONLINE' | 'OFFLINE' | 'FAILED' | 'SHUNNED' | 'UNKNOWN') =>
      titles(dataSourceOperations(dataSource({ name: 'db2', state })))
    expect(of('ONLINE')).toEqual(['Shun db2', 'Take db2 offline', 'Recover and re-point db2'])
    expect(of('UNKNOWN')).toEqual(of('ONLINE'))
    expect(of('OFFLINE')).toEqual(['Shun db2', 'Bring db2 online', 'Recover and re-point db2'])
    expect(of('FAILED')).toEqual(['Shun db2', 'Recover db2', 'Recover and re-point db2'])
    expect(of('SHUNNED')).toEqual(['Welcome db2', 'Recover db2', 'Recover and re-point db2'])
  })

  it('offer to replace a primary only while the service has no writer, and want the name typed', () => {
    const replace = 'Replace the lost primary of alpha'
    expect(titles(serviceOperations(service(), offline))).not.toContain(replace)
    expect(typed(serviceOperations(service({ writer: lost }), offline))).toHaveProperty([replace], 'alpha')
  })

  it('want the name typed where they take something away', () => {
    expect(typed(dataSourceOperations(dataSource({ name: 'db2' })))).toMatchObject({
      'Shun db2': 'db2',
      'Take db2 offline': null,
    })
    expect(typed(dataSourceOperations(dataSource({ name: 'db1', role: 'primary' })))).toMatchObject({
      'Shun db1': 'db1',
      'Take db1 offline': 'db1',
    })
    expect(typed(serviceOperations(service(), offline))).toMatchObject({
      'Take alpha offline': 'alpha',
      'Bring alpha online': null,
      'Set policy MANUAL for alpha': null,
    })
    expect(typed(connectorOperations('db1', connector('ONLINE')))).toEqual({
      'Put connector of db1 on hold': null,
      'Take connector of db1 offline': 'db1',
      'Take connector of db1 offline and close connections': 'db1',
    })
    expect(typed(replicatorOperations('db1'))).toMatchObject({ 'Reset the replication of db1': 'db1' })
    expect(typed(userOperations('bob'))).toMatchObject({ 'Delete bob': 'bob', 'Unlock bob': null })
  })

  it('make a replica that is online the primary, and no other data source', () => {
    const of = (changed: Parameters<typeof dataSource>[0], around = { service: service() }) =>
      titles(dataSourceOperations(dataSource(changed), around))
    expect(of({ name: 'db2' })).toContain('Make db2 the primary')
    for (const state of ['OFFLINE', 'FAILED', 'SHUNNED', 'UNKNOWN'] as const) {
      expect(of({ name: 'db2', state }), state).not.toContain('Make db2 the primary')
    }
    expect(of({ name: 'db1', role: 'primary' })).not.toContain('Make db1 the primary')
    expect(of({ name: 'db2' }, { service: service({ task: underWay }) })).not.toContain(
      'Make db2 the primary',
    )
  })

  it('start a replication that stopped, on its host, where that has a replicator', () => {
    const stopped = dataSource({ name: 'db3', state: 'FAILED', code: 'not-replicating' })
    const [first] = dataSourceOperations(stopped, { replicator: 'host3' })
    expect(first).toMatchObject({
      title: 'Start the replication of host3',
      call: { to: { host: 'host3', component: 'replicator' }, route: 'replicatorOnline' },
    })
    const start = 'Start the replication of host3'
    expect(titles(dataSourceOperations(stopped))).not.toContain(start)
    const other = dataSource({ name: 'db3', state: 'FAILED' })
    expect(titles(dataSourceOperations(other, { replicator: 'host3' }))).not.toContain(start)
  })

  it('leave out a switch while one is under way', () => {
    expect(titles(serviceOperations(service(), offline))).toContain('Switch the primary of alpha')
    expect(titles(serviceOperations(service({ task: underWay }), offline))).not.toContain(
      'Switch the primary of alpha',
    )
  })
})

describe('the receivers of a call', () => {
  const { hosts } = troubledCluster()

  it('are the managers that respond; the others are named', () => {
    expect(receiversOf({ to: 'managers' }, hosts)).toEqual({
      called: [
        { host: 'db1', component: 'manager' },
        { host: 'db2', component: 'manager' },
      ],
      leftOut: ['db3'],
    })
  })

  it('are one manager where one acts for all', () => {
    expect(receiversOf({ to: 'manager' }, hosts)).toEqual({
      called: [{ host: 'db1', component: 'manager' }],
      leftOut: [],
    })
  })

  it('are a manager that is known to work where one acts for all and the first was not asked', () => {
    const unasked = { component: 'manager', state: 'unknown', reason: null, listen: null } as const
    const both = [host({ name: 'db1', components: [unasked] }), host({ name: 'db2' })]
    expect(receiversOf({ to: 'manager' }, both).called).toEqual([{ host: 'db2', component: 'manager' }])
    expect(receiversOf({ to: 'managers' }, both).called).toHaveLength(2)
    expect(receiversOf({ to: 'manager' }, both.slice(0, 1)).called).toHaveLength(1)
  })

  it('are any component that responds where users are concerned', () => {
    const [first] = hosts
    if (first === undefined) throw new Error('no host')
    const components = first.components.map((it) =>
      it.component === 'manager' ? { ...it, state: 'stopped' as const } : it,
    )
    expect(receiversOf({ to: 'hosts' }, [{ ...first, components }]).called).toEqual([
      { host: 'db1', component: 'connector' },
    ])
  })
})
