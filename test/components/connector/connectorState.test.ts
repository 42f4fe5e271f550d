import { describe, expect, it } from 'vitest'
import { changedMode, installedMode } from '../../../src/components/connector/connectorState.ts'

describe('changedMode', () => {
  it('changes what is asked for, and keeps who and when where nothing changes', () => {
    const begin = installedMode(new Date(0))
    const held = changedMode(begin, { value: 'ONHOLD', by: 'anna', now: new Date(1000) })
    expect(held).toEqual({ value: 'ONHOLD', by: 'anna', since: '1970-01-01T00:00:01.000Z' })
    expect(changedMode(held, { value: 'ONHOLD', by: 'bert', now: new Date(2000) })).toBe(held)
  })
})
