import { describe, expect, it } from 'vitest'
import { exitOfHosts, exitOfSwitch } from '../../src/cli/exitCodes.ts'

describe('exitOfHosts', () => {
  it.each([
    [[], 0],
    [['up', 'not-installed', 'free'], 0],
    [['up', 'unreachable'], 4],
    [['failed', 'up'], 1],
    [['unreachable', 'failed', 'up'], 1],
  ])('maps the states %j to exit code %i', (states, code) => {
    expect(exitOfHosts(states)).toBe(code)
  })
})

it.each([
  ['in_progress', 0],
  ['complete', 0],
  ['incomplete', 6],
  ['failed', 1],
] as const)('exitOfSwitch maps the state %s to exit code %i', (state, code) => {
  expect(exitOfSwitch(state)).toBe(code)
})
