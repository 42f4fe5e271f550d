import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { reasonCodes } from '../../src/contracts/routing.ts'
import { severities } from '../../src/diagnostics/codes.ts'
import { finding } from '../../src/diagnostics/finding.ts'

const source = fileURLToPath(new URL('../../src', import.meta.url))
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`${source}/${file}`, 'utf8'))

describe('a finding', () => {
  it('has the severity of its page and the text for its facts', () => {
    const unusedHost = finding('unused-host', (host: string) => ({
      message: host,
      why: 'so',
      fix: 'Use it.',
    }))
    const span = { file: 'muster.yaml', line: 3, column: 1, endLine: 3, endColumn: 4 }
    const made = { code: 'unused-host', severity: 'warning', message: 'db1', why: 'so', fix: 'Use it.', span }
    expect(unusedHost('db1', { span })).toStrictEqual(made)
    const related = [{ message: 'It is here.', span }]
    expect(unusedHost('db1', { span, host: 'db1', related })).toStrictEqual({ ...made, host: 'db1', related })
  })

  it('is defined once in src for each page, but those that managers report', () => {
    const defined = texts.flatMap((text) =>
      [...text.matchAll(/\b(?:finding|storeFinding)\(\s*'([^']+)'/g)].map(([, code = '']) => code),
    )
    expect([...defined, ...reasonCodes].toSorted()).toEqual(Object.keys(severities).toSorted())
  })
})
