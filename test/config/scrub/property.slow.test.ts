import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spoilsTree } from '../../../src/config/document/problems.ts'
import { parseYaml } from '../../../src/config/yaml.ts'
import { mutationsOf, pieces } from '../mutations.ts'
import { findingsIn, scrubText } from './scrubText.ts'

const folder = fileURLToPath(new URL('../../../examples', import.meta.url))

/** The examples with names, addresses and a password that can be told apart from everything else. */
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
  return parsed.tooDeep === undefined && !parsed.problems.some(spoilsTree)
}

/** A carriage return alone is a line break to YAML's specification and none to its parser: what holds then is left open. */
const hasPlainLines = (text: string): boolean => !/\r(?!\n)/.test(text)

/** Many texts that are not YAML any more, the same in every run. */
const broken = fc.sample(
  mutated.filter((text) => !isYaml(text)),
  { numRuns: 120, seed: 20_260_101 },
)

describe('a damaged example', () => {
  it('that is still YAML has the same findings on the same lines, and stays as it is when scrubbed again', () => {
    fc.assert(
      fc.property(
        mutated.filter((text) => isYaml(text) && hasPlainLines(text)),
        (text) => {
          const scrubbed = scrubText(text).text
          expect(findingsIn(scrubbed)).toEqual(findingsIn(text))
          expect(scrubText(scrubbed).text).toBe(scrubbed)
        },
      ),
      { numRuns: 100 },
    )
  })

  // What breaks the rest may stand in a secret, of which nothing may be left. Then the nearest text is taken.
  it('that is no YAML any more nearly always has, too, and otherwise says so; scrubbed again it stays as it is', () => {
    let [same, stays] = [0, 0]
    for (const text of broken) {
      const scrubbed = scrubText(text)
      const isSame = findingsIn(scrubbed.text).join() === findingsIn(text).join()
      expect(scrubbed.faithful).toBe(isSame)
      if (isSame) same += 1
      if (scrubText(scrubbed.text).text === scrubbed.text) stays += 1
    }
    expect(same / broken.length).toBeGreaterThan(0.95)
    expect(stays / broken.length).toBeGreaterThan(0.98)
  })

  it('tells nothing of its owner and keeps its lines', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const scrubbed = scrubText(text).text
        // The names of unknown options stay: here words of a comment that lost its #.
        const rest = scrubbed.replaceAll(/[\w-]*zqcomment: /g, '')
        expect(rest).not.toMatch(/zq|prod\.example|10\.77\.3\.[1-9]|\$#|%:@|é/)
        expect(scrubbed.match(/\n/g)?.length).toBe(text.match(/\n/g)?.length)
      }),
      { numRuns: 100 },
    )
  })
})

describe('any text', () => {
  it('can be scrubbed, line by line', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(any, (text) => {
        const scrubbed = scrubText(text)
        expect(scrubbed.text.match(/\n/g)?.length).toBe(text.match(/\n/g)?.length)
        if (isYaml(text)) expect(scrubbed.faithful).toBe(true)
      }),
      { numRuns: 400 },
    )
  })
})
