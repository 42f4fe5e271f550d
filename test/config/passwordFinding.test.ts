import { describe, expect, it } from 'vitest'
import { passwordWeakness } from '../../src/config/passwordFinding.ts'

describe('the check for weak passwords', () => {
  it.each([
    ['secret', true],
    ['Tungsten', true],
    ['admin', true],
    ['PASSWORD', true],
    ['boss', true],
    ['short', false],
    ['aaaaaaaaaaaaaaab', false],
    ['password12345', false],
    ['boss-2026-2027', false],
  ])('reports %s (well-known: %s)', (password, known) => {
    const weakness = passwordWeakness(password, 'Boss')
    expect(weakness?.known).toBe(known)
    expect(weakness?.reason).not.toContain(password)
  })

  it('accepts a long random password', () => {
    expect(passwordWeakness('x8Jw-Rt2q_Lm0', 'admin')).toBeUndefined()
  })
})
