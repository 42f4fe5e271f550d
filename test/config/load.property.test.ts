import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoadResult } from '../../src/config/load.ts'
import { propertyRuns } from '../support/propertyRuns.ts'
import { loadText, shown } from './loadText.ts'
import { mutationsOf, pieces } from './mutations.ts'

const folder = fileURLToPath(new URL('../../examples', import.meta.url))
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))

/** Expects errors or a configuration, and findings that have text and a place and can be printed. */
function expectUsable(result: LoadResult): void {
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

describe('loading a configuration', () => {
  it('returns errors or a configuration for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => expectUsable(loadText(text))),
      { numRuns: propertyRuns(400) },
    )
  })

  it('returns errors or a configuration for any sequence of YAML syntax', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => expectUsable(loadText(parts.join('')))),
      { numRuns: propertyRuns(500) },
    )
  })

  it('returns errors or a configuration for a damaged example', () => {
    fc.assert(
      fc.property(mutationsOf(examples), (text) => expectUsable(loadText(text))),
      { numRuns: propertyRuns(500) },
    )
  })
})
