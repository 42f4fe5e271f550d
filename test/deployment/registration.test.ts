import { describe, expect, it } from 'vitest'
import { registration } from '../../src/deployment/registration.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { targetOf } from './steps/target.ts'

const config = (...hosts: readonly ReturnType<typeof hostConfig>[]) => ({
  cluster: 'alpha',
  directory: '/operator',
  services: [],
  hosts,
})
const db1 = hostConfig({ name: 'db1' })
const db2 = hostConfig({ name: 'db2' })
const db3 = hostConfig({ name: 'db3' })

describe('the registration of a cluster for tapi', () => {
  it('has all hosts of the file', () => {
    const after = registration(config(db1, db2), [targetOf()])
    expect(after.hosts.map(({ name }) => name)).toEqual(['db1', 'db2'])
    expect(after.authorities).toEqual(['the authority'])
  })

  it('keeps its entries of excluded hosts', () => {
    const before = { ...registration(config(db1, db2), [targetOf()]), authorities: ['another'] }
    const moved = { ...db2, address: '10.0.0.99' }
    const after = registration(config(moved, db3), [targetOf()], before)
    expect(after.hosts.map(({ name, address }) => `${name} ${address}`)).toEqual([
      `db1 ${db1.address}`,
      'db2 10.0.0.99',
      `db3 ${db3.address}`,
    ])
    expect(after.authorities).toEqual(['another', 'the authority'])
  })
})
