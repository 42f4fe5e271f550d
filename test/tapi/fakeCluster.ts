import { onTestFinished } from 'vitest'
import type { Component } from '../../src/contracts/component.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import { type FakeComponent, fakeComponent } from './fakeComponent.ts'
import type { Ran } from './fakeHost.ts'
import { alpha, connectorStatus, db1, db2, managerStatus, replication } from './payloads.ts'
import { type RunOptions, workplace } from './support.ts'

const login = { user: 'admin', password: 'right' }

/** The service alpha with the primary db1 and the replica db2, in which this is different. */
export const alphaWith = (replica: object = {}, service: object = {}) => ({
  ...alpha,
  datasources: [
    db1,
    { ...db2, state: 'ONLINE', reason: null, host: '10.0.0.12', appliedLatency: 3, ...replica },
  ],
  ...service,
})

type FakeHost = Readonly<Record<Component, FakeComponent>>

/** The hosts db1 to db3 with all components, and tapi as the administrator of all of them. */
export async function fakeCluster(): Promise<{
  readonly hosts: readonly [FakeHost, FakeHost, FakeHost]
  readonly tapi: (argv: readonly string[], options?: RunOptions) => Promise<Ran>
}> {
  const place = await workplace()
  const host = async (name: string): Promise<FakeHost> => {
    const manager = await fakeComponent('manager', login)
    const connector = await fakeComponent('connector', login)
    const replicator = await fakeComponent('replicator', login)
    manager.answers.set('managerStatus', { payload: { ...managerStatus, dataSourceName: name } })
    manager.answers.set('managerServiceStatus', { payload: alphaWith() })
    const routers = [{ name, connections: { active: 1, created: 7 } }]
    manager.answers.set('managerTopology', {
      payload: { ...managerExamples.managerTopology.response, routers },
    })
    connector.answers.set('connectorStatus', {
      payload: { ...connectorStatus, value: 'ONLINE', expiresAt: null },
    })
    replicator.answers.set('replicatorStatus', { payload: { alpha: replication } })
    return { manager, connector, replicator }
  }
  const hosts = [await host('db1'), await host('db2'), await host('db3')] as const
  onTestFinished(async () => {
    await Promise.all(hosts.flatMap((apis) => Object.values(apis).map((api) => api.close())))
    await place.remove()
  })
  await place.record(
    'alpha',
    hosts.map((apis, index) => ({
      name: `db${index + 1}`,
      address: '127.0.0.1',
      apis: Object.entries(apis).map(([component, { port }]) => ({ component, address: '0.0.0.0', port })),
    })),
  )
  return {
    hosts,
    tapi: async (argv, options = {}) => {
      const env = { TAPI_USER: login.user, TAPI_PASSWORD: login.password, ...options.env }
      const { code, stdout, stderr } = await place.run(['--all', ...argv], { ...options, env })
      return { code, stdout, stderr }
    },
  }
}
