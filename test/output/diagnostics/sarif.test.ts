import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../../src/output/diagnostics/portable.ts'
import { diagnosticsSarif } from '../../../src/output/diagnostics/sarif.ts'
import { nasty, sampleReport, unseen } from './sampleReport.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url))

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
const validate = ajv.compile(JSON.parse(readFileSync(fixture('sarif/sarif-2.1.0.schema.json'), 'utf8')))

/** What the schema says against a text. */
function problems(text: string): unknown {
  validate(JSON.parse(text))
  return validate.errors
}

type Result = {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly message: { readonly text: string }
  readonly locations: readonly { physicalLocation: { artifactLocation: { uri: string } } }[]
  readonly partialFingerprints: Readonly<Record<string, string>>
  readonly suppressions: readonly unknown[]
}

type Run = {
  readonly tool: { readonly driver: { readonly rules: readonly { id: string }[] } }
  readonly results: readonly Result[]
}

const runOf = (report: Report): Run => JSON.parse(diagnosticsSarif(report, '1.2.3')).runs[0]

const [clash, unused] = sampleReport.findings

/** The fingerprints of findings, in their order. */
const prints = (...findings: readonly (typeof clash)[]): readonly (string | undefined)[] => {
  const given = findings.filter((finding) => finding !== undefined)
  return runOf({ findings: given, silenced: [], files: [] }).results.map(
    ({ partialFingerprints }) => partialFingerprints['finding/v1'],
  )
}

describe('findings as SARIF', () => {
  it('match the schema of the standard', async () => {
    const text = diagnosticsSarif(sampleReport, '1.2.3')
    await expect(text).toMatchFileSnapshot(fixture('output/diagnostics/report.sarif'))
    expect(problems(text)).toBe(null)
    expect(text).not.toMatch(unseen)
    expect(problems(diagnosticsSarif({ findings: [], silenced: [], files: [] }, '1.2.3'))).toBe(null)
  })

  it('are checked against a schema that rejects other documents', () => {
    const broken = diagnosticsSarif(sampleReport, '1.2.3').replace('"startLine": 20', '"startLine": 0')
    expect(problems(broken)).not.toBe(null)
    const badUri = diagnosticsSarif(sampleReport, '1.2.3').replace('my%20cluster', 'my cluster')
    expect(problems(badUri)).not.toBe(null)
  })

  it('refer to rules, each defined once', () => {
    const { tool, results } = runOf(sampleReport)
    const rules = tool.driver.rules.map(({ id }) => id)
    expect(rules).toEqual(['port-clash', 'unused-host', 'even-managers', 'secret-not-resolved'])
    for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex]).toBe(ruleId)
  })

  it('have the suppression and its reason', () => {
    const { results } = runOf(sampleReport)
    const silenced = [{ kind: 'inSource', justification: 'bought for next year' }]
    expect(results.map(({ suppressions }) => suppressions)).toEqual([[], [], [], [], silenced])
  })

  it('keep texts with invisible characters', () => {
    const { results } = runOf(sampleReport)
    expect(results[2]?.message.text).toBe(`${nasty}\n${nasty}\nFix: ${nasty}`)
  })

  it('have no link that is not ours, whatever a host says', () => {
    if (clash === undefined) throw new Error('the sample is empty')
    const text = '[log in](https://evil.example) [a\\](https://evil.example)'
    const finding = { ...clash, message: text, why: text, fix: text, related: [{ ...clash, message: text }] }
    const { results } = runOf({ findings: [finding], silenced: [], files: [] })
    expect(results[0]?.message.text.match(/(?<!\\)\]\([^)]*\)/g)).toEqual(['](0)'])
    expect(results[0]?.message.text).toContain('[log in] (https://evil.example)')
  })

  it('have valid URIs for any relative name', () => {
    if (clash === undefined) throw new Error('the sample is empty')
    const names = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a:b', '\ud800', 'ä/%41?#[]\\ '))
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(!name.startsWith('/'))
        const finding = { ...clash, span: { ...clash.span, file: name } }
        const report = { findings: [finding], silenced: [], files: [] }
        expect(problems(diagnosticsSarif(report, '1'))).toBe(null)
        const uri = runOf(report).results[0]?.locations[0]?.physicalLocation.artifactLocation.uri ?? ''
        const written = name.replaceAll(/\p{Surrogate}/gu, '\ufffd')
        expect(decodeURIComponent(uri)).toBe(written)
        expect(uri).toMatch(/^[\w%/.~!'()*-]*$/)
      }),
    )
  })
})

describe('the fingerprint of a finding', () => {
  const moved = clash && { ...clash, span: { ...clash.span, line: 99, endLine: 99 } }

  it('stays the same if its line moves', () => {
    expect(prints(clash)[0]).toMatch(/^[0-9a-f]{32}:1$/)
    expect(prints(moved)).toEqual(prints(clash))
  })

  it('differs for different findings', () => {
    expect(new Set(prints(clash, unused, moved)).size).toBe(3)
    const elsewhere = clash && { ...clash, span: { ...clash.span, file: 'other.yaml' } }
    expect(prints(elsewhere)).not.toEqual(prints(clash))
  })
})
