import { describe, expect, it } from 'vitest'
import { breaksTree } from '../../src/config/document/syntaxFindings.ts'
import { parseYaml } from '../../src/config/yaml.ts'
import { good } from './loadText.ts'
import { findingsIn, scrubText } from './scrub/scrubText.ts'

/** A password of signs only, and one with unique letters. */
const sentinels = [`'"\\$#%:@ é`, `Zq7'"\\$#%:@ éXw9`]

/** Any piece of it that nothing else contains. */
const piece = /Zq7|Xw9|\\\$|\$#|#%|%:|:@|é/

const single = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Values as people write them, right and wrong. */
const valuesOf = (sentinel: string): readonly string[] => {
  const double = JSON.stringify(sentinel)
  return [
    single(sentinel),
    double,
    sentinel,
    `!env ${sentinel}`,
    `!file ${single(sentinel)}`,
    `!exec ${single(sentinel)}`,
    `!exec [echo, ${double}, null]`,
    `!${sentinel}`,
    `&${sentinel}`,
    `&p ${double}`,
    `*${sentinel}`,
    `#${sentinel}`,
    `@${sentinel}`,
    `"${sentinel}`,
    `'${sentinel}`,
    `{ ${double}: 1 }`,
    `[${double}, 1]`,
    `|\n      ${sentinel}\n      ${sentinel}`,
    `| # ${sentinel}\n      a`,
    `>-\n      ${sentinel}`,
    `\n      ${double}`,
    `"a\n\n      ${sentinel.replaceAll(/["\\]/g, '')}"`,
    `\n      ${sentinel}: x`,
    `\n      - ${sentinel}`,
    `a, ${double}: b, Zq7: Xw9`,
    `a}, Zq7: b}`,
    `a b # ${sentinel}`,
    `one: ${sentinel}`,
    `"a" ${sentinel}`,
  ]
}

/** Secrets, names near to one, an unknown option, and an option of the wrong type. */
const names = [
  'rest-api-admin-pass',
  'java-keystore-password',
  'rest-api-admin-pas',
  'db-secret',
  'sso-login',
  'log-level',
]

const builds = {
  block: (name: string, value: string): string =>
    good.replace('rest-api-admin-user: admin', `rest-api-admin-user: admin\n  ${name}: ${value}`),
  flow: (name: string, value: string): string =>
    good.replace(
      '{ address: 10.0.0.11 }',
      `{ address: 10.0.0.300, options: { log-level: x, ${name}: ${value}, prot: 1 } }`,
    ),
  top: (name: string, value: string): string => `${name}: ${value}\n${good}`,
  inHost: (name: string, value: string): string =>
    good.replace('{ address: 10.0.0.11 }', `\n    ${name}: ${value}\n    address: 10.0.0.0`),
  aliased: (name: string, value: string): string =>
    good.replace('defaults:', `defaults:\n  java-tls-alias: &a ${value}\n  ${name}: *a`),
  later: (name: string, value: string): string => `${good}---\n${name}: ${value}\n`,
  broken: (name: string, value: string): string => `${builds.block(name, value)}\n}{\n`,
}

const cases = sentinels.flatMap((sentinel) =>
  Object.entries(builds).flatMap(([build, make]) =>
    names.flatMap((name) =>
      valuesOf(sentinel).map((value) => ({ build, name, value, text: make(name, value) })),
    ),
  ),
)

const done = new Map<string, string>()

/** Each text is scrubbed once for all tests. */
function scrubbedOf(text: string): string {
  const scrubbed = done.get(text) ?? scrubText(text).text
  done.set(text, scrubbed)
  return scrubbed
}

function isYaml(text: string): boolean {
  const parsed = parseYaml(text, 64)
  return parsed.tooDeep === undefined && !parsed.problems.some(breaksTree)
}

describe('scrubbing a file', () => {
  it.each(Object.keys(builds))('removes a password in whatever form it is written (%s)', (wanted) => {
    const leaks = cases
      .filter(({ build }) => build === wanted)
      .map((one) => ({ ...one, scrubbed: scrubbedOf(one.text) }))
      .filter(({ scrubbed }) => piece.test(scrubbed))
      .map(({ name, value, scrubbed }) => `${name}: ${value} -> ${scrubbed}`)
    expect(leaks.slice(0, 3)).toEqual([])
  })

  it('keeps nearly all findings of a YAML file on their lines', () => {
    const readable = cases.filter(({ text }) => isYaml(text))
    expect(readable.length).toBeGreaterThan(800)
    const changed = readable
      .map((one) => ({ ...one, before: findingsIn(one.text), after: findingsIn(scrubbedOf(one.text)) }))
      .filter(({ before, after }) => before.join() !== after.join())
    expect(changed.length / readable.length).toBeLessThan(0.06)
  })

  it('removes a password that a comma in braces split into names', () => {
    const secrets = ['rest-api-admin-pass', 'rest-api-admin-pas', 'db-secret']
    const texts = secrets.flatMap((name) =>
      ['a, Zq7: b', 'a, log-levl: Zq7', 'a, Zq7, Xw9: 1'].map((value) => builds.flow(name, value)),
    )
    expect(texts.map(scrubbedOf).filter((text) => piece.test(text))).toEqual([])
  })

  it('removes a password in a comment', () => {
    for (const sentinel of sentinels) {
      const commented = good
        .replace('defaults:', `defaults: # was ${sentinel}`)
        .replace(
          'hosts:',
          `# ${sentinel}\nhosts:\n# muster-ignore: unused-host ${sentinel}\n# muster-ignore: ${sentinel}`,
        )
      for (const text of [commented, `${commented}}{`, `"${commented}`, `'${commented}`, `${commented}\0`]) {
        expect(scrubText(text).text).not.toMatch(piece)
      }
    }
  })
})
