import { expect, it } from 'vitest'
import { chooseHosts } from '../../../src/config/describe/chooseHosts.ts'

const hosts = ['db1', 'db2', 'db10', 'web.example.org']

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
])('takes %j for %j', (patterns, expected) => {
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
])('matches nothing with %s and suggests %s', (pattern, nearest) => {
  expect(chooseHosts([pattern, 'db1'], hosts).unmatched).toEqual([{ pattern, nearest }])
})

it('takes no sign but * and ? for anything else than itself', () => {
  expect(chooseHosts(['web.example.org'], ['web-example-org']).unmatched).toHaveLength(1)
  expect(chooseHosts(['[d]b1'], hosts).unmatched).toHaveLength(1)
})
