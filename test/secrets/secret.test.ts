import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { Secret } from '../../src/secrets/secret.ts'

const value = `Zq7'"\\$#%:@ é`
const secret = new Secret(value)

it('a secret prints as [redacted] in every output', () => {
  const error = new Error(`with ${secret}`, { cause: { secret } })
  const printed = [
    `${secret}`,
    String(secret),
    `a${secret}`,
    JSON.stringify({ secret }),
    inspect({ deep: [secret] }, { depth: 9, showHidden: true }),
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(Object.entries(secret)),
    JSON.stringify({ ...secret }),
  ].join('\n')
  expect(printed).not.toContain('Zq7')
  expect(printed).toContain('[redacted]')
})

it('a secret reveals its value only on request and compares without showing it', () => {
  expect(secret.reveal()).toBe(value)
  expect(secret.equals(new Secret(value))).toBe(true)
  expect(secret.equals(new Secret(`${value} `))).toBe(false)
})
