import { expect, it } from 'vitest'
import { configuredPicture, knowledgeOf } from '../../src/deployment/clusterKnowledge.ts'
import type { ComponentStatus } from '../../src/deployment/hostStatus.ts'
import { hostConfig, proxy } from '../support/deploymentValues.ts'

const place = { host: '10.0.0.11', port: 3306 }
const services = [
  {
    name: 'alpha',
    datasources: [
      { ...place, name: 'db1', role: 'primary' as const },
      { ...place, name: 'db2', role: 'replica' as const },
      { ...place, name: 'db3', role: 'witness' as const },
    ],
  },
  { name: 'empty', datasources: [] },
]
const config = { cluster: 'alpha', hosts: [hostConfig({ proxy })], services }

it('configuredPicture lets replicas follow the primary of the file', () => {
  const { services: described, datasources, hosts } = configuredPicture(config)
  expect(described.map(({ name, writer }) => [name, writer?.datasource])).toEqual([['alpha', 'db1']])
  expect(datasources.map(({ follows }) => follows)).toEqual([null, 'db1', null])
  expect(hosts[0]?.connector?.clients?.service).toBe(proxy.service)
})

it('knowledgeOf tells what is wrong with a component by its service, its API and its readiness', () => {
  const well: ComponentStatus = {
    component: 'manager',
    service: 'running',
    listen: null,
    api: 'off',
    ready: true,
  }
  const components = [
    well,
    { ...well, service: 'stopped', api: 'silent' },
    { ...well, service: 'failed', api: 'silent' },
    { ...well, api: 'silent', detail: 'connection refused' },
    { ...well, ready: false, reason: 'it is stopping' },
  ] as const
  const status = { host: 'db1', address: '10.0.0.11', state: 'up', components } as const
  const { hosts } = knowledgeOf({ config, observed: [{ status }], now: new Date(0) })
  expect(hosts[0]?.components.map(({ state, reason }) => [state, reason])).toEqual([
    ['ready', null],
    ['stopped', null],
    ['stopped', 'its service failed'],
    ['silent', 'connection refused'],
    ['not-ready', 'it is stopping'],
  ])
})
