import { describe, expect, it } from 'vitest'
import type { Subject } from '../../../src/deployment/preflight/checkContract.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { clusterConfig, reasons, subject } from './values.ts'

describe('the names check', () => {
  const db1 = { name: 'db1', address: 'one.example.org' }
  const db2 = { name: 'db2', address: 'two.example.org' }
  const services = [
    {
      name: 'alpha',
      datasources: [
        { name: 'db1', host: 'one.example.org', port: 3306, role: 'primary' as const },
        { name: 'db2', host: 'two.example.org', port: 3306, role: 'replica' as const },
      ],
    },
  ]
  const knows = (resolved: Readonly<Record<string, readonly string[]>>): Subject =>
    subject({ host: db1, observed: { resolved: new Map(Object.entries(resolved)) } })
  const config = { ...clusterConfig([hostConfig(db1), hostConfig(db2)]), services }
  const names = (of: Subject, ...others: readonly Subject[]) => reasons('names', [of, ...others], { config })
  const second = (...addresses: readonly string[]): Subject =>
    subject({
      host: db2,
      observed: { resolved: new Map([['two.example.org', ['127.0.1.1', ...addresses]]]) },
    })

  it('accepts names that resolve to the same addresses on every host', () => {
    const all = knows({ 'one.example.org': ['10.0.0.11'], 'two.example.org': ['fd00::2', '10.0.0.12'] })
    expect(names(all, second('10.0.0.12'), second('FD00:0:0::2'), second())).toEqual([
      'ok: it resolves two.example.org',
    ])
  })

  it.each<[string, Subject, string]>([
    [
      'is not known',
      knows({ 'two.example.org': [] }),
      'failure: it cannot resolve two.example.org, which its components connect to',
    ],
    [
      'means the host itself',
      knows({ 'two.example.org': ['127.0.0.1'] }),
      'failure: it resolves two.example.org to 127.0.0.1, but two.example.org is another host',
    ],
    [
      'means something else elsewhere',
      knows({ 'two.example.org': ['10.9.9.9'] }),
      'warning: it resolves two.example.org to 10.9.9.9, but db2 resolves it to 127.0.1.1 and 10.0.0.12',
    ],
  ])('reports a name of a data source that %s', (_, of, expected) => {
    expect(names(of, second('10.0.0.12'))).toEqual([expected])
  })

  it('reports another host name only if it differs from the address in the file', () => {
    const hosts = clusterConfig([hostConfig(), hostConfig({ name: 'db2', address: '10.0.0.12' })])
    const found = (addresses: readonly string[]) =>
      reasons('names', [subject({ observed: { resolved: new Map([['db2', addresses]]) } })], {
        config: hosts,
      })
    expect(found([])).toEqual(['ok: the file uses only IP addresses'])
    expect(found(['10.0.0.12'])).toEqual(['ok: the file uses only IP addresses'])
    expect(found(['10.0.0.99'])).toEqual([
      'warning: it resolves db2 to 10.0.0.99, but its address in the file is 10.0.0.12',
    ])
  })
})
