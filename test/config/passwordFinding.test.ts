import { expect, it } from 'vitest'
import { passwordWeakness } from '../../src/config/passwordFinding.ts'

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
])('%s is weak; tried first: %s', (password, known) => {
  const weakness = passwordWeakness(password, 'Boss')
  expect(weakness?.known).toBe(known)
  expect(weakness?.reason).not.toContain(password)
})

it('takes a long random one', () => {
  expect(passwordWeakness('x8Jw-Rt2q_Lm0', 'admin')).toBeUndefined()
})
