import { describe, expect, it } from 'vitest'
import type { RegisteredCluster, RegisteredHost } from '../../../src/client/registry.ts'
import { readOptions, type WrittenOptions } from '../../../src/tapi/call/callOptions.ts'
import { chooseTarget } from '../../../src/tapi/call/chooseTarget.ts'

const host = (name: string, address: string, apis: RegisteredHost['apis']): RegisteredHost => ({
  name,
  address,
  apis,
})
const alpha: RegisteredCluster = {
  version: 1,
  cluster: 'alpha',
  directory: '/srv/alpha',
  authorities: ['PEM'],
  hosts: [
    host('db1', '10.0.0.11', [
      { component: 'manager', address: '0.0.0.0', port: 18090 },
      { component: 'connector', address: '127.0.0.1', port: 8096 },
      { component: 'replicator', address: '10.1.0.11', port: 8097 },
    ]),
    host('db2', 'db2.example.org', [{ component: 'replicator', address: '::', port: 8097 }]),
    host('db3', '10.0.0.13', []),
  ],
}
const elsewhere = { name: 'workstation', addresses: ['127.0.0.1', '10.0.0.99'] }

const choose = (
  written: WrittenOptions,
  more: { clusters?: RegisteredCluster[]; machine?: typeof elsewhere; cwd?: string } = {},
) => {
  const { found, ...target } = chooseTarget({
    options: readOptions(written),
    clusters: more.clusters ?? [alpha],
    machine: more.machine ?? elsewhere,
    cwd: more.cwd ?? '/',
  })
  return { ...target, of: found?.cluster.cluster }
}

describe('chooseTarget', () => {
  it('chooses the manager if the host has one, else its first API', () => {
    expect(choose({ host: 'db1' })).toEqual({
      component: 'manager',
      address: '10.0.0.11',
      port: 18090,
      names: ['10.0.0.11', 'db1'],
      of: 'alpha',
      loopbackElsewhere: false,
    })
    expect(choose({ host: 'DB2' })).toMatchObject({ component: 'replicator', address: 'db2.example.org' })
    expect(() => choose({ host: 'db3' })).toThrow('db3 of cluster alpha has no enabled API. It has: none.')
  })

  it('uses the address of a listener that listens on one address only', () => {
    expect(choose({ host: 'db1', component: 'replicator' })).toMatchObject({
      address: '10.1.0.11',
      port: 8097,
      names: ['10.1.0.11', '10.0.0.11', 'db1'],
    })
  })

  it("uses loopback only on the host itself, found by its address or name, with the host's own names", () => {
    const connector = { host: 'db1', component: 'connector' }
    const away = { address: '10.0.0.11', names: ['10.0.0.11', 'db1'], loopbackElsewhere: true }
    const here = { address: '127.0.0.1', names: ['10.0.0.11', 'db1'], loopbackElsewhere: false }
    expect(choose(connector)).toMatchObject(away)
    expect(choose(connector, { machine: { name: 'x', addresses: ['10.0.0.11'] } })).toMatchObject(here)
    expect(choose(connector, { machine: { name: 'DB1', addresses: [] } })).toMatchObject(here)
  })

  it('prefers --port and --cluster over the record', () => {
    const beta = { ...alpha, cluster: 'beta', directory: '/srv/beta' }
    expect(choose({ host: 'db1', port: '1' })).toMatchObject({ address: '10.0.0.11', port: 1 })
    expect(choose({ host: 'db1', cluster: 'beta' }, { clusters: [alpha, beta] }).of).toBe('beta')
  })

  it('distinguishes clusters of one name by their directory', () => {
    const twin = { ...alpha, directory: '/home/ops' }
    expect(() => choose({ host: 'db1' }, { clusters: [alpha, twin] })).toThrow(
      'db1 matches 2 clusters:\n  alpha  /srv/alpha\n  alpha  /home/ops',
    )
    expect(choose({ host: 'db1', cluster: '/home/ops' }, { clusters: [alpha, twin] }).of).toBe('alpha')
  })

  it('prefers the cluster of the current folder, the nearest above it', () => {
    const [beta, gamma] = [
      { ...alpha, cluster: 'beta', directory: '/srv/alpha/beta' },
      { ...alpha, cluster: 'gamma', directory: '/srv/alp' },
    ]
    const clusters = [beta, alpha, gamma]
    expect(choose({ host: 'db1' }, { clusters, cwd: '/srv/alpha' }).of).toBe('alpha')
    expect(choose({ host: 'db1' }, { clusters, cwd: '/srv/alpha/other' }).of).toBe('alpha')
    expect(choose({ host: 'db1' }, { clusters, cwd: '/srv/alpha/beta/conf' }).of).toBe('beta')
    expect(() => choose({ host: 'db1' }, { clusters, cwd: '/srv' })).toThrow('db1 matches 3 clusters:')
  })

  it('lists hosts of one cluster with the same address, and at most ten clusters, one per line', () => {
    const many = Array.from({ length: 12 }, (_, n) => ({
      ...alpha,
      cluster: `c${n}`,
      directory: `/srv/c${n}`,
    }))
    const twins: RegisteredCluster = {
      ...alpha,
      hosts: alpha.hosts.map((one) => ({ ...one, address: '127.0.0.1' })),
    }
    expect(() => choose({ host: '127.0.0.1' }, { clusters: [twins] })).toThrow(
      '127.0.0.1 matches 3 hosts of alpha:\n  db1  127.0.0.1\n  db2  127.0.0.1\n  db3  127.0.0.1',
    )
    expect(() => choose({ host: 'db1' }, { clusters: many })).toThrow(
      /matches 12 clusters:(\n {2}c\d .*){10}\n {2}and 2 more$/,
    )
  })

  it('uses a host without a record as an address, with the default port', () => {
    expect(choose({ host: '[::1]' })).toEqual({
      component: 'manager',
      address: '::1',
      port: 8090,
      names: ['::1'],
      of: undefined,
      loopbackElsewhere: false,
    })
    expect(choose({ host: 'db9', component: 'connector' }).port).toBe(8096)
  })
})
