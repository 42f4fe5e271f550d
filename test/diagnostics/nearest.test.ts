import { describe, expect, it } from 'vitest'
import { nearest } from '../../src/diagnostics/nearest.ts'

const names = ['manager-rest-api-port', 'manager-rest-api', 'log-level', 'user', 'env', 'file', 'exec']

describe('the suggestion for an unknown name', () => {
  it.each([
    ['manager-rest-api-prt', 'manager-rest-api-port'],
    ['manager_rest_api_port', 'manager-rest-api-port'],
    ['Log-Level', 'log-level'],
    ['lgo-level', 'log-level'],
    ['usr', 'user'],
    ['enf', 'env'],
    ['connector', undefined],
    ['', undefined],
    ['x', undefined],
  ])('for "%s" is %s', (word, meant) => {
    expect(nearest(word, names)).toBe(meant)
  })

  it('is undefined for a very long name, in constant time', () => {
    expect(nearest('e'.repeat(100_000), names)).toBeUndefined()
  })
})
