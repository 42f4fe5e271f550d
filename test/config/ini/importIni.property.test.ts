import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importIni } from '../../../src/config/ini/importIni.ts'
import { joinLines } from '../../../src/config/ini/readIni.ts'
import { diagnosticsText } from '../../../src/output/diagnostics/text.ts'
import { propertyRuns } from '../../support/propertyRuns.ts'
import { codes, loadText } from '../loadText.ts'
import { iniTexts, mutated } from './texts.ts'

/** Codes of YAML syntax errors: an import must never cause one. */
const broken =
  /not-yaml|not-closed|bad-indent|tab-indent|needs-quotes|bad-escape|unknown-tag|too-deep|alias|anchor|several-documents|nul/

/** Expects findings, or a YAML file without syntax errors. */
function expectUsable(text: string): void {
  const { yaml, findings, source } = importIni({ name: 'tungsten.ini', text })
  for (const { message, why, fix, span } of findings) {
    expect(message && why && fix).toBeTruthy()
    expect(span.line).toBeGreaterThan(0)
    expect(span.column).toBeGreaterThan(0)
    expect(span.endLine > span.line || span.endColumn > span.column).toBe(true)
  }
  const shown = diagnosticsText({ diagnostics: findings, sources: [source], colour: false, width: 100 })
  expect(shown).not.toMatch(/undefined|\[object/)
  if (yaml === undefined) {
    expect(findings.map(({ code }) => code)).toEqual(['nul-character'])
    return
  }
  const written = loadText(joinLines(yaml, 'text'))
  expect(codes(written).filter((code) => broken.test(code))).toEqual([])
}

/** Lines with unique words, so that a missing one is noticed. */
const worded = fc
  .array(
    fc.constantFrom(
      '# WORD',
      '; rest-api-admin-pass=WORD',
      'WORD=1',
      'thl-port = WORD # WORDx',
      'rest-api-admin-pass=WORD ; WORDx',
      'rest-api-admin-user=WORD',
      'members=WORD',
      'slaves=WORD,WORDx',
      'master=WORD,WORDx',
      'dataservice_hosts="WORD"',
      'witnesses=WORD',
      'enable-active-witnesses=true',
      'connectors=WORD, WORDx',
      'topology=WORD',
      'topology=direct # WORD',
      'log-level=WORD \\',
      'WORD',
      'WORD WORDx =y',
      '=WORD',
      '[WORD',
      '[WORD]',
      '[alpha]',
      '[defaults]',
      '[defaults.WORD]',
      '[defaults.replicator]',
      '[defaults@WORD]',
    ),
    { maxLength: 30 },
  )
  .map((lines) => lines.map((line, index) => line.replaceAll('WORD', `w${index}q`)))

describe('importing an INI file', () => {
  it('gives findings or valid YAML for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), expectUsable), {
      numRuns: propertyRuns(300),
    })
  })

  it('gives findings or valid YAML for any sequence of INI lines', () => {
    fc.assert(fc.property(iniTexts, expectUsable), { numRuns: propertyRuns(400) })
  }, 60_000)

  it('gives findings or valid YAML for a damaged example', () => {
    fc.assert(fc.property(mutated, expectUsable), { numRuns: propertyRuns(300) })
  }, 60_000)

  it('keeps every word of the INI file in the YAML file', () => {
    fc.assert(
      fc.property(worded, (lines) => {
        const { yaml = [] } = importIni({ name: 'tungsten.ini', text: lines.join('\n') })
        const written = joinLines(yaml, 'text')
        const words = lines.flatMap((line) => line.match(/w\d+qx?/g) ?? [])
        expect(words.filter((word) => !written.includes(word))).toEqual([])
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})
