import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoadResult } from '../../src/config/load.ts'
import { loadText, shown } from './loadText.ts'
import { mutationsOf, pieces } from './mutations.ts'

const folder = fileURLToPath(new URL('../../examples', import.meta.url))
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))

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
      fc.property(mutationsOf(examples), (text) => holds(loadText(text))),
      { numRuns: 500 },
    )
  })
})
