import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoadResult } from '../../src/config/load.ts'
import { loadText, shown } from './loadText.ts'

const folder = fileURLToPath(new URL('../../examples', import.meta.url))
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))

/** Pieces that YAML and the options give a meaning to. */
const pieces = fc.oneof(
  fc.constantFrom(
    ...'{}[]:,-?!&*|>%@`"\'#\t\n\r\0 ~',
    '<<: *a',
    '&a ',
    '*a',
    '!env ',
    '!exec ',
    '---\n',
    '\ufeff',
  ),
  fc.constantFrom(
    '0.0.0.0',
    '80',
    'null',
    'options:',
    'hosts:',
    'ssh:',
    'db1',
    'true',
    '1e999',
    '0x10',
    '.nan',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat({ max: 40 }),
  insert: pieces,
})

const mutated = fc
  .tuple(fc.constantFrom(...examples), fc.array(edit, { minLength: 1, maxLength: 6 }))
  .map(([text, edits]) =>
    edits.reduce((sofar, { at, remove, insert }) => {
      const offset = Math.floor(at * sofar.length)
      return sofar.slice(0, offset) + insert + sofar.slice(offset + remove)
    }, text),
  )

/** Every run ends with errors or a configuration, every finding with words and a place, and can be printed. */
function holds(result: LoadResult): void {
  const errors = result.diagnostics.filter(({ severity }) => severity === 'error')
  expect(errors.length > 0).toBe(result.config === undefined)
  for (const { message, why, fix, span } of result.diagnostics) {
    expect(message && why && fix).toBeTruthy()
    expect(span.line).toBeGreaterThan(0)
    expect(span.column).toBeGreaterThan(0)
    expect(span.endLine > span.line || (span.endLine === span.line && span.endColumn > span.column)).toBe(
      true,
    )
  }
  expect(shown(result)).not.toMatch(/undefined|\[object/)
}

describe('any text', () => {
  it('gives findings or a configuration', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => holds(loadText(text))),
      { numRuns: 400 },
    )
  })

  it('made of the signs of YAML gives findings or a configuration', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => holds(loadText(parts.join('')))),
      { numRuns: 500 },
    )
  })

  it('that was an example before some edits gives findings or a configuration', () => {
    fc.assert(
      fc.property(mutated, (text) => holds(loadText(text))),
      { numRuns: 500 },
    )
  })
})
