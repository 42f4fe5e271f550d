import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { applyIgnores } from '../../src/config/document/applyIgnores.ts'
import { importIni } from '../../src/config/ini/importIni.ts'
import { loadConfig } from '../../src/config/load.ts'
import { codesOf, findingGroups } from '../../src/diagnostics/codes.ts'
import { type Explanation, explanationOf } from '../../src/diagnostics/explanation.ts'

/** Findings that no single text can show: they need hosts, bytes, a command line, git or other files. */
const withoutExample: readonly string[] = [
  ...codesOf('Files and the command line'),
  ...codesOf('What is in a keystore or truststore'),
  ...codesOf('Certificates of installed hosts'),
  ...codesOf('Users of installed hosts'),
  ...codesOf('Differences of installed hosts'),
  ...codesOf('Databases of a running service'),
  'hook-not-runnable',
  'nul-character',
  'too-deep',
  'alias-bomb',
  'secret-not-resolved',
  'secret-unreadable',
  'plaintext-secret-tracked',
]

/** Findings that an example has in addition: a comment that silences nothing leaves the finding that it names. */
const additional: Readonly<Record<string, string>> = {
  'ignore-without-reason': 'unused-host',
  'ignore-unknown-code': 'unused-host',
  'ignore-error': 'wrong-type',
}

const codes = findingGroups.flatMap((group) => group.codes)
const all = codes.map((code): readonly [string, Explanation] => [code, explanationOf(code)])

/** Findings of validation in an example; the store files exist. */
function findingsOf(text: string, language: Explanation['language']): readonly string[] {
  if (language === 'ini') {
    return importIni({ name: 'alpha.ini', text: `${text}\n` }).findings.map(({ code }) => code)
  }
  const { diagnostics, ignores } = loadConfig({
    files: [{ name: 'muster.yaml', directory: '/srv/muster', text: `${text}\n` }],
    home: '/home/ops',
    exists: (path) => path.startsWith('/srv/muster/tls/'),
  })
  const left = applyIgnores({
    findings: diagnostics,
    ignores,
    files: ['muster.yaml'],
    isChecked: () => true,
  })
  return left.findings.map(({ code }) => code)
}

describe('the explanations of findings', () => {
  it('are the pages of docs/findings, one for each code', () => {
    const pages = readdirSync(fileURLToPath(new URL('../../docs/findings', import.meta.url)))
    expect(pages.toSorted()).toEqual(codes.map((code) => `${code}.md`).toSorted())
  })

  it('have examples for every code that one file can show', () => {
    const lacking = all.filter(([, { bad, good }]) => bad === undefined || good === undefined)
    expect(lacking.map(([code]) => code).toSorted()).toEqual(withoutExample.toSorted())
  })

  const examples = all.flatMap(([code, { bad, good, language }]) =>
    bad === undefined || good === undefined ? [] : [{ code, bad, good, language }],
  )

  it.each(examples)('have a wrong example for $code with no other finding', ({ code, bad, language }) => {
    const wanted = [code, additional[code] ?? code]
    expect([...new Set(findingsOf(bad, language))].toSorted()).toEqual([...new Set(wanted)].toSorted())
  })

  it.each(examples)('have a right example for $code without findings', ({ good, language }) => {
    expect(findingsOf(good, language)).toEqual([])
  })

  it.each(examples)('have examples for $code that fit a small terminal', ({ bad, good }) => {
    for (const text of [bad, good]) {
      const lines = text.split('\n')
      expect(lines.length).toBeLessThanOrEqual(15)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(56)
      expect(text).not.toMatch(/ $|\n\n|^\n|\n$/m)
    }
  })

  it.each(all)('have a title and complete sentences for %s', (code, explanation) => {
    const { title, about: paragraphs, commands = '' } = explanation
    expect(title).toMatch(/^[A-Z!-].*[^.]$/)
    expect(title.length).toBeLessThanOrEqual(64)
    expect(paragraphs.length).toBeLessThanOrEqual(3)
    for (const paragraph of paragraphs) {
      expect(paragraph).toMatch(/^\S.*[.:]$/)
      expect(paragraph, code).not.toMatch(/\.\.|\s\s|\n/)
      expect(paragraph.length).toBeLessThanOrEqual(520)
      const quoted = [...paragraph.matchAll(/`([^`]*)`/g)].map(([, inside]) => inside ?? '')
      expect(paragraph.split('`').length % 2, 'backquotes come in pairs').toBe(1)
      expect(Math.max(0, ...quoted.map(({ length }) => length))).toBeLessThanOrEqual(40)
    }
    for (const line of commands.split('\n')) {
      expect(line.length, line).toBeLessThanOrEqual(72)
      // On a machine that is no host of the cluster, tapi without a host calls nobody.
      if (line.startsWith('tapi ')) expect(line).toMatch(/^tapi (--host \S+|--all) --user \S+ /)
    }
  })
})
