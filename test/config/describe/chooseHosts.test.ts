import { describe, expect, it } from 'vitest'
import { chooseHosts } from '../../../src/config/describe/chooseHosts.ts'

const hosts = ['db1', 'db2', 'db10', 'web.example.org']

describe('choosing hosts by name or pattern', () => {
  it.each([
    [[], hosts],
    [['db1'], ['db1']],
    [['DB1'], ['db1']],
    [['db?'], ['db1', 'db2']],
    [['db*'], ['db1', 'db2', 'db10']],
    [
      ['*.org', 'db2'],
      ['db2', 'web.example.org'],
    ],
    [['w**g'], ['web.example.org']],
    [['db[12]'], ['db1', 'db2']],
    [['db[1-9]'], ['db1', 'db2']],
    [['db[!2]*'], ['db1', 'db10']],
    [['[A-D]b2'], ['db2']],
    [['db1,db2'], ['db1', 'db2']],
    [
      ['db1,', 'web*,db2'],
      ['db1', 'db2', 'web.example.org'],
    ],
    [['!db1'], ['db2', 'db10', 'web.example.org']],
    [['db*,!db[12]'], ['db10']],
    [['!db2', 'db?'], ['db1']],
    [['!*'], []],
  ])('with %j gives %j', (patterns, expected) => {
    const chosen = chooseHosts(patterns, hosts)
    expect([...chosen.names]).toEqual(expected)
    expect(chosen.unmatched).toEqual([])
  })

  it.each([
    ['db3', 'db1'],
    ['web?example.com', 'web.example.org'],
    ['web.exampleXorg', 'web.example.org'],
    ['d(b1', 'db1'],
    ['x*', undefined],
    ['!db3', 'db1'],
  ])('finds no host for %s and suggests %s', (pattern, nearest) => {
    expect(chooseHosts([pattern, 'db1'], hosts).unmatched).toEqual([{ pattern, nearest }])
  })

  it('gives a meaning only to *, ? and brackets', () => {
    expect(chooseHosts(['web.example.org'], ['web-example-org']).unmatched).toHaveLength(1)
    for (const pattern of ['[d', '[]b1', '[^d]b1', '[d.]b1', '{db1', 'db[3-1]', ',']) {
      expect(chooseHosts([pattern], hosts).names, pattern).toEqual(new Set())
    }
  })
})
