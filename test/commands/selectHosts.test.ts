import { describe, expect, it } from 'vitest'
import { selectHosts } from '../../src/commands/selectHosts.ts'
import { UsageError } from '../../src/commands/usageError.ts'
import type { ClusterConfig } from '../../src/config/model.ts'
import { hostConfig } from '../support/deploymentValues.ts'

const config: ClusterConfig = {
  cluster: 'alpha',
  directory: '/operator',
  services: [],
  hosts: ['db1', 'db2', 'db10', 'web.example'].map((name) => hostConfig({ name })),
}
const select = (...patterns: readonly string[]) => selectHosts(config, patterns).map(({ name }) => name)

describe('the hosts that --host means', () => {
  it.each([
    [[], ['db1', 'db2', 'db10', 'web.example']],
    [['db1'], ['db1']],
    [['DB1'], ['db1']],
    [['db*'], ['db1', 'db2', 'db10']],
    [['db?'], ['db1', 'db2']],
    [
      ['*.example', 'db2'],
      ['db2', 'web.example'],
    ],
    [
      ['db*', 'db1'],
      ['db1', 'db2', 'db10'],
    ],
  ])('%j: %j', (patterns, names) => {
    expect(select(...patterns)).toEqual(names)
  })

  it.each(['web?example', '*'])('%s is no regular expression', (pattern) => {
    expect(select(pattern)).toContain('web.example')
    expect(() => select('web[.]example')).toThrow(UsageError)
    expect(() => select('web.e+xample')).toThrow(UsageError)
  })

  it('are refused where a pattern means none, with the names there are', () => {
    const wrong = () => select('db1', 'sb*')
    expect(wrong).toThrow('--host sb* means no host of alpha.')
    expect(wrong).toThrow(
      expect.objectContaining({ fix: expect.stringContaining('db1, db2, db10 and web.example') }),
    )
  })
})
