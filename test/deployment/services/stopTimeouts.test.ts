import { describe, expect, it } from 'vitest'
import { drainTimeoutOf } from '../../../src/deployment/services/stopTimeouts.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const drainingFor = (drainTimeout: unknown): number =>
  drainTimeoutOf(
    hostFacts({
      services: new Map([['connector', { state: 'running', enabled: true }]]),
      installation: installationFacts({
        settings: new Map([['connector', { proxy: { drainTimeout } }]]),
      }),
    }),
  )

describe('the drain timeout of a connector', () => {
  it('is that of the settings on its host', () => {
    expect(drainingFor(5000)).toBe(5000)
  })

  it('is at most a day', () => {
    expect(drainingFor(1e308)).toBe(86_400_000)
    for (const junk of [-1, 'long', null, undefined]) expect(drainingFor(junk)).toBe(0)
  })
})
