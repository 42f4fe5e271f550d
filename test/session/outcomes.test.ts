import { describe, expect, it } from 'vitest'
import type { HostOutcome } from '../../src/deployment/events.ts'
import { exitOfRun } from '../../src/session/outcomes.ts'

const outcomes = (...results: HostOutcome['result'][]): HostOutcome[] =>
  results.map((result, index) => ({ host: `db${index + 1}`, result, applied: [], seconds: {} }))

describe('exitOfRun', () => {
  it.each([
    [['changed', 'unchanged'], false, 0],
    [['changed', 'unreachable'], false, 4],
    [['unreachable', 'failed'], false, 1],
    [['not-started', 'unreachable'], false, 4],
    [['failed', 'unreachable'], true, 130],
  ] as const)('maps %j, interrupted: %s, to %i', (results, interrupted, code) => {
    expect(exitOfRun(outcomes(...results), interrupted)).toBe(code)
  })
})
