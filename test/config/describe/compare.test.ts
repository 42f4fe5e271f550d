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

describe('two descriptions', () => {
  it('are the same when only places and spellings differ', () => {
    const other = `# moved\n${good.replace('rest-api-admin-user', '"rest-api-admin-user"')}`
    expect(isSame(difference(good, other))).toBe(true)
    expect(
      isSame(difference(good, good.replace('defaults:', 'defaults:\n  java-tls-key-lifetime: 365'))),
    ).toBe(true)
  })

  it('differ by hosts, by the cluster and by settings', () => {
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

  it('tell a value that is new or gone from one that changed', () => {
    const after = good.replace('  rest-api-admin-user: admin', '  user: dba')
    const [host] = difference(good, after).changed
    const sides = host?.changes.map(({ name, before, after: now }) => [name, before?.value, now?.value])
    expect(sides).toEqual([
      ['user', undefined, 'dba'],
      ['rest-api-admin-user', 'admin', undefined],
    ])
  })

  it('tell a change of the master, which is no option', () => {
    const two = good.replace('[db1]', '[db1, db2]').concat('  db2: { address: 10.0.0.12 }\n')
    const found = difference(two, two.replace('master: db1', 'master: db2'))
    expect(found.changed.map(({ host, changes }) => [host, changes.map(({ name }) => name)])).toEqual([
      ['db1', ['roles']],
      ['db2', ['roles']],
    ])
  })
})

describe('changes of many hosts', () => {
  it('are said once, with every place they come from', () => {
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

  it('are kept apart where the values differ', () => {
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
