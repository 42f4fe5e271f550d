import { Command, CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/usageError.ts'
import { allInParallel, canaryThenBatches, type Rollout } from '../../src/deployment/execution/rollout.ts'
import { rolloutGiven, rolloutOptions } from '../../src/session/rolloutOptions.ts'
import { rolloutFor } from '../../src/session/selectTargets.ts'
import { hostConfig } from '../support/deploymentValues.ts'

const parse = (usual: Rollout, ...argv: readonly string[]): Rollout => {
  const made = rolloutOptions(
    new Command('try').exitOverride().configureOutput({ writeErr: () => {} }),
    usual,
  )
  made.parse([...argv], { from: 'user' })
  return rolloutGiven(made, usual)
}

describe('the rollout options', () => {
  it('have the defaults of the command', () => {
    expect(parse(allInParallel)).toEqual(allInParallel)
    expect(parse(canaryThenBatches)).toEqual(canaryThenBatches)
    expect(parse(canaryThenBatches, '--no-canary', '--batch', '100%')).toEqual({
      ...allInParallel,
      batch: { percent: 100 },
    })
    expect(
      parse(allInParallel, '--canary', '--batch', '2', '--max-failed', '1', '--on-failure', 'stop'),
    ).toEqual({
      canary: 'first',
      batch: { hosts: 2 },
      maxFailed: 1,
      onFailure: 'stop',
    })
    expect(parse(canaryThenBatches, '--canary-host', 'db3').canary).toEqual({ host: 'db3' })
  })

  it.each([
    ['--batch', '0'],
    ['--batch', '0%'],
    ['--batch', '101%'],
    ['--batch', 'half'],
    ['--batch', '-1'],
    ['--max-failed', 'none'],
    ['--on-failure', 'wait'],
  ])('reject %s %s', (...argv) => {
    expect(() => parse(allInParallel, ...argv)).toThrow(CommanderError)
  })

  it('reject a canary that is not a host of the file', () => {
    const hosts = ['db1', 'db2'].map((name) => hostConfig({ name }))
    const config = { cluster: 'alpha', directory: '/operator', services: [], hosts }
    const named = (host: string): Rollout => ({ ...allInParallel, canary: { host } })
    expect(rolloutFor(config, named('db2'))).toEqual(named('db2'))
    expect(() => rolloutFor(config, named('dbb1'))).toThrow(
      new UsageError('--canary-host dbb1 is not a selected host.', 'Did you mean db1?'),
    )
  })
})
