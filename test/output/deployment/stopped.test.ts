import { describe, expect, it } from 'vitest'
import type { HostOutcome } from '../../../src/deployment/events.ts'
import { stoppedText } from '../../../src/output/deployment/stopped.ts'

const textOf = (...results: readonly HostOutcome['result'][]): string =>
  stoppedText(
    'install',
    results.map((result, index) => ({ host: `db${index}`, result, applied: [], seconds: {} })),
  )

describe('what is said after a run that was stopped', () => {
  it('is where it stands, and how to go on', () => {
    expect(textOf('changed', 'stopped')).toBe(
      'Stopped between two steps. `muster install` again goes on from here.\n',
    )
    expect(textOf('changed', 'not-started')).toBe('Stopped. `muster install` again goes on from here.\n')
    expect(textOf('not-started', 'unchanged')).toBe(
      'Stopped before anything that runs was touched. `muster install` again goes on from here.\n',
    )
  })
})
