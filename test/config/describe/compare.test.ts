import { describe, expect, it } from 'vitest'
import { compareDescriptions, groupChanges, isSame } from '../../../src/config/describe/compare.ts'
import { good } from '../loadText.ts'
import { described } from './described.ts'

const many = (line: (n: number) => string): string => {
  const names = Array.from({ length: 9 }, (_, n) => `h${n + 1}`)
  const hosts = names.map((name, n) => `  ${name}: { address: 10.0.0.${n + 1}${line(n + 1)} }`)
  return `cluster: a\nservices: { s: { topology: clustered, master: h1, members: [${names.join(', ')}] } }\nhosts:\n${hosts.join('\n')}\n`
}

const difference = (before: string, after: string) => compareDescriptions(described(before), described(after))

describe('comparing two descriptions', () => {
  it('finds no difference if only places and spellings differ', () => {
    const other = `# moved\n${good.replace('rest-api-admin-user', '"rest-api-admin-user"')}`
    expect(isSame(difference(good, other))).toBe(true)
    expect(
      isSame(difference(good, good.replace('defaults:', 'defaults:\n  java-tls-key-lifetime: 365'))),
    ).toBe(true)
  })

  it('finds differences of hosts and of the cluster name', () => {
    const after = good
      .replace('cluster: alpha', 'cluster: beta')
      .replaceAll('db1', 'db2')
      .replace('members: [db2]', 'members: [db2, db3, db4]')
      .concat('  db3: {}\n  db4: {}\n')
    const found = difference(good, after)
    expect(found).toMatchObject({
      cluster: { before: 'alpha', after: 'beta' },
      added: ['db2', 'db3', 'db4'],
      removed: ['db1'],
      common: [],
      changed: [],
    })
    expect(isSame(found)).toBe(false)
  })

  it('distinguishes added, removed and changed values', () => {
    const after = good.replace('  rest-api-admin-user: admin', '  user: dba')
    const [host] = difference(good, after).changed
    const sides = host?.changes.map(({ name, before, after: now }) => [name, before?.value, now?.value])
    expect(sides).toEqual([
      ['user', undefined, 'dba'],
      ['rest-api-admin-user', 'admin', undefined],
    ])
  })

  it('finds a change of the master', () => {
    const two = good.replace('[db1]', '[db1, db2]').concat('  db2: { address: 10.0.0.12 }\n')
    const found = difference(two, two.replace('master: db1', 'master: db2'))
    expect(found.changed.map(({ host, changes }) => [host, changes.map(({ name }) => name)])).toEqual([
      ['db1', ['roles']],
      ['db2', ['roles']],
    ])
  })
})

describe('grouping changes of many hosts', () => {
  it('lists a shared change once, with all its origins', () => {
    const after = many((n) => `, options: { log-level: debug${n === 9 ? ', runtime: host' : ''} }`)
    const groups = groupChanges(
      difference(
        many(() => ''),
        after,
      ),
    )
    expect(groups.map(({ hosts, changes }) => [hosts.length, changes.map(({ name }) => name)])).toEqual([
      [9, ['log-level']],
      [1, ['runtime']],
    ])
    expect(groups[0]?.changes[0]?.origins.before).toEqual([{ layer: 'default' }])
    expect(groups[0]?.changes[0]?.origins.after).toHaveLength(9)
  })

  it('separates hosts with different values', () => {
    const after = many((n) => `, options: { log-level: ${n < 5 ? 'debug' : 'warn'} }`)
    const groups = groupChanges(
      difference(
        many(() => ''),
        after,
      ),
    )
    expect(groups.map(({ hosts }) => hosts.length)).toEqual([5, 4])
  })
})
