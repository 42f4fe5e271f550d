import { describe, expect, it } from 'vitest'
import { exitOfHosts } from '../../src/cli/exitCodes.ts'

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
