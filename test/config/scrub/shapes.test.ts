import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shapesFor } from '../../../src/config/scrub/shapes.ts'

it.each([
  ['hunter2', "'[redacted]'"],
  ['"hunter2', '"[redacted]'],
  ["'hunter2'", "'[redacted]'"],
  ["'hunter2' x", "'redacted' redacted"],
  ['x } }', "'[redacted]' } }"],
  ['x, log-level: y } } # z', "'[redacted]' } }"],
  ['a: b', 'redacted: redacted'],
  ['[a', '[redacted'],
  ['|', '|'],
  ['@x', '@redacted'],
  ['', ''],
])('for %s it is most likely %s', (text, expected) => {
  expect(shapesFor(text)[0]).toBe(expected)
})

it('has nothing of the text but its kind, its first sign and the brackets at its end', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), (text) => {
      for (const shape of shapesFor(text)) {
        const rest = shape.replaceAll('redacted', '').replace(/[\]},\s]*$/, '')
        expect(rest).toMatch(/^['"[\]{}:@%*&!|>?,\s-]*$/)
        expect(rest.length).toBeLessThan(8)
      }
    }),
  )
})

it('keeps what an earlier run wrote', () => {
  for (const shape of shapesFor('x')) expect(shapesFor(shape)[0]).toBe(shape)
})
