import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { isThorough, propertyRuns } from '../support/propertyRuns.ts'
import { fileOf, good, loadText, shown } from './loadText.ts'

const sentinel = `Zq7'"\\$#%:@ éXw9`
const quoted = `'${sentinel.replaceAll("'", "''")}'`
const double = JSON.stringify(sentinel)

/** Any piece of the password that nothing else contains. */
const piece = /Zq7|Xw9|#%:@|\$#%/

const options = [
  'rest-api-admin-pass',
  'rest-api-admin-password',
  'java-keystore-password',
  'java-truststore-password',
]
const nearly = [
  'rest-api-admin-pas',
  'rest_api_admin_pass',
  'replication-password',
  'monitor-password',
  'db-secret',
]

/** Values as people write them, right and wrong. */
const values = [
  quoted,
  double,
  sentinel,
  `!env ${sentinel}`,
  `!exec ${quoted}`,
  `!exec [echo, ${double}, null]`,
  `!${sentinel}`,
  `&${sentinel}`,
  `*${sentinel}`,
  `#${sentinel}`,
  `@${sentinel}`,
  `"${sentinel}`,
  `'${sentinel}`,
  `{ ${double}: 1 }`,
  `[${double}, 1]`,
  `|\n      ${sentinel}\n      ${sentinel}`,
  `>-\n      ${sentinel}`,
  `\n      ${double}`,
  `\n      ${sentinel}: x`,
  `\n      - ${sentinel}`,
  `a, ${double}: b, Zq7: Xw9`,
  `a}, Zq7: b}`,
  `a b # ${sentinel}`,
  `one: ${sentinel}`,
  `"a" ${sentinel}`,
]

const block = (name: string, value: string): string =>
  good.replace('rest-api-admin-user: admin', `rest-api-admin-user: admin\n  ${name}: ${value}`)
const flow = (name: string, value: string): string =>
  good.replace(
    '{ address: 10.0.0.11 }',
    `{ address: 10.0.0.300, options: { log-level: x, ${name}: ${value}, prot: 1 } }`,
  )
const top = (name: string, value: string): string => `${name}: ${value}\n${good}`
const inHost = (name: string, value: string): string =>
  good.replace('{ address: 10.0.0.11 }', `\n    ${name}: ${value}\n    address: 10.0.0.0`)
const broken = (name: string, value: string): string => `${block(name, value)}\n}{\n`

const builds = [block, flow, top, inHost, broken]

/** Each value in each place of the file; in the fast tests for one option and one near it, and of the others in turn. */
const cases = [options, nearly].flatMap((names) =>
  names.flatMap((name, nameAt) =>
    values.flatMap((value, valueAt) =>
      builds
        .filter((_, at) => isThorough || nameAt === 0 || at === (nameAt + valueAt) % builds.length)
        .map((build) => ({ name, build: build.name, text: build(name, value), value })),
    ),
  ),
)

/** Passwords of users: in a block, on one line, and by an alias of a value elsewhere. */
const asUser = [
  // An unquoted comma makes a name of the rest of a password.
  block('rest-api-users', `{ ops: b, Zq7: c, "a b": d }`),
  ...values.flatMap((value) => [
    block('rest-api-users', `\n    ops: ${value.replaceAll('\n      ', '\n        ')}\n    nightly:`),
    block('rest-api-users', `{ ops: ${value}, nightly: }`),
    block('rest-api-users', `{ ops: { access: x, password: ${value}, more: } }`),
    block('rest-api-users', `\n    ops: { access: read, password: ${value} }\n    x: { acess: ${value} }`),
    ...['access', 'password', 'acess', 'pasword', 'other'].map((member) =>
      block(
        'rest-api-users',
        `\n    ops:\n      access: x\n      ${member}: ${value.replaceAll('\n      ', '\n          ')}\n      x: y`,
      ),
    ),
    ...['password', 'acess', 'pasword'].map((member) =>
      block(
        'rest-api-users',
        `\n    ops:\n      ${member}: ${value.replaceAll('\n      ', '\n          ')}\n      access: x`,
      ),
    ),
  ]),
  ...[quoted, double].flatMap((value) => [
    `${top('x', `&x { ops: ${value} }`)}  db9:\n    address: 10.0.0.0\n    options:\n      rest-api-users:\n        <<: *x\n        two: short\n`,
    `${top('x', `&x { ops: ${value} }`)}  db9: { options: { log-level: x, rest-api-users: *x } }\n`,
    `${top('x', `&x ${value}`)}  db9:\n    address: 10.0.0.0\n    options:\n      rest-api-users:\n        ops:\n          access: *x\n          password: *x\n`,
    `${top('x', `&x ${value}`)}  db9:\n    address: 10.0.0.0\n    options:\n      rest-api-users:\n        ops: *x\n        a b: *x\n`,
  ]),
]

describe('the output of validation', () => {
  it('never contains the password of a user, in whatever form it is written', () => {
    expect(asUser.filter((text) => piece.test(shown(loadText(text)))).slice(0, 10)).toEqual([])
  })

  it('never contains a password, in whatever form it is written', () => {
    const leaks = cases
      .filter(({ text }) => piece.test(shown(loadText(text))))
      .map(({ name, build, value }) => `${build} ${name} ${value}`)
    expect(leaks.slice(0, 10)).toEqual([])
  })

  it('reports a weak password without showing it', () => {
    const result = loadText(block('rest-api-admin-pass', `'${'Zq7'.repeat(2)}'`))
    expect(result.diagnostics.map(({ code }) => code)).toEqual(['weak-password'])
    expect(shown(result)).toContain('[redacted]')
    expect(shown(result)).not.toMatch(piece)
  })

  it('hides a password in a group that begins with x- from findings beside it', () => {
    const text = `x-common: &c { rest-api-admin-pass: ${sentinel} }\nclustr: alpha\nx-more: ${sentinel}\n${good}`
    expect(shown(loadText(text))).toMatch(/unknown-key/)
    expect(shown(loadText(text))).not.toMatch(piece)
  })

  it('hides a password in findings about aliases, overriding files and --set', () => {
    const anchored = good.replace(
      'defaults:',
      `defaults:\n  java-tls-alias: &p "Zq7\\n${sentinel.length}"\n  rest-api-admin-pass: *p`,
    )
    expect(shown(loadText(anchored))).not.toMatch(piece)
    const overlay = loadConfig({
      files: [
        fileOf(block('rest-api-admin-pass', double)),
        fileOf(`ssh:\n  password: ${quoted}\n`, 'over.yaml'),
      ],
      home: '/home/ops',
      set: [`rest-api-admin-pass=${sentinel}`, `rest-api-admin-pas=${sentinel}`, sentinel, `log-level=x`],
    })
    expect(overlay.diagnostics.length).toBeGreaterThan(3)
    expect(shown(overlay)).not.toMatch(piece)
  })

  it('hides a password on damaged lines that are no longer indented below its name', () => {
    for (const first of ['{', '}', '?', '*', '"']) {
      const value = `\n${first}     - ${sentinel}\n${first} ${sentinel}`
      expect(shown(loadText(broken('rest-api-admin-pass', value))), first).not.toMatch(piece)
    }
  })

  it('hides a password in a damaged file', () => {
    const edits = fc.record({
      text: fc.constantFrom(...cases.filter(({ name }) => options.includes(name)).map(({ text }) => text)),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      insert: fc.constantFrom(...'{}[]:,-?!&*|>%"\'#\t\n', '---\n', '\0'),
    })
    fc.assert(
      fc.property(edits, ({ text, at, insert }) => {
        const offset = Math.floor(at * text.length)
        const line = text.slice(0, offset).split('\n').at(-1) ?? ''
        // An edit inside the option's own name makes another name of it, which may be any word at all.
        fc.pre(!/pass|Zq7/.test(line) && !/^[\w-]*pass/.test(text.slice(offset)))
        expect(shown(loadText(text.slice(0, offset) + insert + text.slice(offset)))).not.toMatch(piece)
      }),
      { numRuns: propertyRuns(600) },
    )
  })
})
