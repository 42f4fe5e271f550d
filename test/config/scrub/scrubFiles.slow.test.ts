import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breaksTree } from '../../../src/config/document/syntaxFindings.ts'
import { parseYaml } from '../../../src/config/yaml.ts'
import { mutationsOf, pieces } from '../mutations.ts'
import { findingsIn, scrubText } from './scrubText.ts'

const folder = fileURLToPath(new URL('../../../examples', import.meta.url))

/** The examples with unique names, addresses and a unique password. */
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) =>
    readFileSync(`${folder}/${name}`, 'utf8')
      .replaceAll(/#.*/g, '# zqcomment: ask zqadmin about 10.77.3.9')
      .replaceAll(/\b(?:db|archive)(\d)\b/g, 'zqdb$1.prod.example.com')
      .replaceAll(/10\.0\.[01]\./g, '10.77.3.')
      .replace(/^cluster: .*/m, 'cluster: zqcluster')
      .replace('user: admin', 'user: zqadmin')
      .replace('user: ops', 'user: zqops')
      .replace('!env ADMIN_PASS', "'zqPw$#%:@ é'"),
  )

const mutated = mutationsOf(examples)

function isYaml(text: string): boolean {
  if (text.includes('\0')) return false
  const parsed = parseYaml(text.replace(/^\ufeff/, ''), 64)
  return parsed.tooDeep === undefined && !parsed.problems.some(breaksTree)
}

/** A carriage return alone is a line break in YAML's specification but not for its parser, so such texts are excluded. */
const hasPlainLines = (text: string): boolean => !/\r(?!\n)/.test(text)

/** Many texts that are YAML, or are not any more, the same in every run. */
const [readable, broken] = [true, false].map((wanted) =>
  fc.sample(
    mutated.filter((text) => isYaml(text) === wanted && hasPlainLines(text)),
    { numRuns: 120 },
  ),
)

describe('scrubbing a damaged example', () => {
  it.each([
    ['is still YAML', readable, { same: 0.98, stays: 0.98 }],
    ['is no longer YAML', broken, { same: 0.85, stays: 0.98 }],
  ])('that %s keeps most findings on their lines, and returns if they changed', (_, texts = [], least) => {
    let [same, stays] = [0, 0]
    for (const text of texts) {
      const scrubbed = scrubText(text)
      const isSame = findingsIn(scrubbed.text).join() === findingsIn(text).join()
      expect(scrubbed.hasSameFindings).toBe(isSame)
      if (isSame) same += 1
      if (scrubText(scrubbed.text).text === scrubbed.text) stays += 1
    }
    expect(same / texts.length).toBeGreaterThan(least.same)
    expect(stays / texts.length).toBeGreaterThan(least.stays)
  })

  it('removes everything private and keeps the lines', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const scrubbed = scrubText(text).text
        expect(scrubbed).not.toMatch(/zq|prod\.example|10\.77\.3\.[1-9]|\$#|%:@|é/)
        expect(scrubbed.match(/\n/g)?.length).toBe(text.match(/\n/g)?.length)
      }),
      { numRuns: 100 },
    )
  })
})

describe('scrubbing any text', () => {
  it('keeps the number of lines', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(any, (text) => {
        const scrubbed = scrubText(text)
        expect(scrubbed.text.match(/\n/g)?.length).toBe(text.match(/\n/g)?.length)
      }),
      { numRuns: 400 },
    )
  })
})

const hosts = Array.from(
  { length: 500 },
  (_, n) =>
    `  h${n}: { address: 10.1.${n >> 7}.${(n + 1) & 127 || 128}, options: { rest-api-admin-pass: secret${n}, foo${n}: 1 } } # c`,
).join('\n')

describe('scrubbing a long text', () => {
  // A step that reads the whole text for each of its parts would take minutes here.
  it.each([
    ['500 hosts', `cluster: a\nhosts:\n${hosts}\n`],
    ['500 hosts, broken', `cluster: a\nhosts:\n${hosts}\n  }{\n`],
    ['comments', '# comment\n'.repeat(100_000)],
    ['colons', `${':'.repeat(300_000)}g`],
    ['spaces before a comment', `a: ${' '.repeat(300_000)}x # y`],
    ['an open quote', `pass: "${'a"'.repeat(150_000)}`],
    ['brackets in a secret', `pass: "${'}'.repeat(300_000)}`],
    ['odd signs', `${'$#%@ '.repeat(60_000)}\n}{`],
    ['one long word', `${'a'.repeat(300_000)}:g\n}{`],
    ['secrets, broken', `${'pass: x\n'.repeat(10_000)}}{`],
    ['names on one line', `{${Array.from({ length: 10_000 }, (_, n) => `k${n}: v${n}`).join(', ')}}`],
  ])('of %s keeps the number of lines', (_, text) => {
    const scrubbed = scrubText(text)
    expect(scrubbed.text.match(/\n/g)?.length).toBe(text.match(/\n/g)?.length)
  })
})
