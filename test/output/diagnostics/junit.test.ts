import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskInvisible } from '../../../src/base/printable.ts'
import { diagnosticsJunit } from '../../../src/output/diagnostics/junit.ts'
import type { Report } from '../../../src/output/diagnostics/portable.ts'
import { sampleReport, unseen } from './sampleReport.ts'
import { strictXml } from './strictXml.ts'

const golden = fileURLToPath(new URL('../../fixtures/output/diagnostics/report.junit.xml', import.meta.url))
const hasXmllint = spawnSync('xmllint', ['--version']).error === undefined

const [first] = sampleReport.findings

/** A report whose every text is the given one. */
const reportOf = (text: string): Report => {
  if (first === undefined) throw new Error('the sample is empty')
  const finding = { ...first, message: text, why: text, fix: text, code: text }
  const named = { ...finding, span: { ...finding.span, file: text } }
  return { findings: [named], silenced: [{ finding: named, reason: text }], files: [text] }
}

describe('findings as JUnit', () => {
  it('are suites of files with a test for each finding', async () => {
    const xml = diagnosticsJunit(sampleReport)
    await expect(xml).toMatchFileSnapshot(golden)
    expect(xml).not.toMatch(unseen)
  })

  it('fail only if the exit code is 1', () => {
    const { children: suites } = strictXml(diagnosticsJunit(sampleReport))
    const counts = suites.map(({ attributes }) => attributes)
    expect(counts).toEqual([
      { name: 'conf/my cluster.yaml', tests: '4', failures: '1', errors: '0', skipped: '1' },
      { name: '../over,lay:100%.yml', tests: '1', failures: '0', errors: '0', skipped: '0' },
      { name: 'clean.yaml', tests: '1', failures: '0', errors: '0', skipped: '0' },
    ])
    for (const { attributes, children } of suites) {
      const within = children.flatMap((test) => test.children.map(({ name }) => name))
      expect(children.length).toBe(Number(attributes.tests))
      expect(within.filter((name) => name === 'failure').length).toBe(Number(attributes.failures))
      expect(within.filter((name) => name === 'skipped').length).toBe(Number(attributes.skipped))
    }
  })

  it('have unique names, since readers drop a second test of the same name', () => {
    const names = strictXml(diagnosticsJunit(sampleReport)).children.flatMap(({ children }) =>
      children.map(({ attributes }) => `${attributes.classname} ${attributes.name}`),
    )
    expect(new Set(names).size).toBe(6)
  })

  it('are one passed test without findings', () => {
    const { children } = strictXml(diagnosticsJunit({ findings: [], silenced: [], files: ['a.yaml'] }))
    const attributes = { classname: 'a', name: 'no findings', file: 'a.yaml' }
    expect(children.map((suite) => suite.children)).toEqual([
      [{ name: 'testcase', attributes, text: '', children: [] }],
    ])
  })

  it('are well-formed and keep any text', () => {
    const pieces = fc.oneof(
      fc.constantFrom(
        ']]>',
        ']]',
        '<![CDATA[',
        '&amp;',
        '&#0;',
        '"',
        "'",
        '<',
        '\r\n',
        '\0',
        '\ud800',
        '\ufffe',
      ),
      fc.string({ unit: 'binary', maxLength: 10 }),
    )
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 8 }), (parts) => {
        const text = parts.join('')
        const xml = diagnosticsJunit(reportOf(text))
        const [suite] = strictXml(xml).children
        const [failed, quiet] = suite?.children ?? []
        const seen = maskInvisible(text)
        expect(suite?.attributes.name).toBe(seen)
        expect(failed?.children[0]?.attributes).toEqual({ message: seen, type: seen })
        expect(failed?.children[0]?.text).toContain(`\n${seen}\nwhy: ${seen}\nfix: ${seen}\n`)
        expect(quiet?.children[0]?.text).toBe(`Silenced: ${seen}`)
      }),
      { numRuns: 500 },
    )
  })

  it.skipIf(!hasXmllint)('are accepted by xmllint', () => {
    const texts = [']]>]]>', '\0\u0008\ufffe\ud800', '&<>"\'', 'é😀\u202e']
    for (const report of [sampleReport, ...texts.map(reportOf)]) {
      const { status, stderr } = spawnSync('xmllint', ['--noout', '-'], {
        input: diagnosticsJunit(report),
        encoding: 'utf8',
      })
      expect(stderr).toBe('')
      expect(status).toBe(0)
    }
  })
})

describe('the reader of XML that these tests use', () => {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n'

  it.each([
    '<a>]]></a>',
    '<a>&</a>',
    '<a>&nbsp;</a>',
    '<a>&#0;</a>',
    '<a b="<"/>',
    '<a b="1" b="2"/>',
    '<a b=1/>',
    '<a></b>',
    '<a>',
    '<a/><b/>',
    '<a/>x',
    '<a>\u0001</a>',
    '<a>\ud800</a>',
  ])('refuses %j', (xml) => {
    expect(() => strictXml(head + xml)).toThrow('not well-formed')
  })

  it('accepts well-formed XML', () => {
    expect(strictXml(`${head}<a b="&lt;&#10;">x &gt; y<c/></a>`)).toEqual({
      name: 'a',
      attributes: { b: '<\n' },
      text: 'x > y',
      children: [{ name: 'c', attributes: {}, text: '', children: [] }],
    })
  })
})
