import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../support/propertyRuns.ts'
import { good, loadText, shown } from '../loadText.ts'

/** Letters of secrets, which no message and no other text of these files has. */
const letters = /[QZ]/

const word = fc.string({ unit: fc.constantFrom('Q', 'Z'), minLength: 1, maxLength: 3 })
const between = fc.constantFrom(
  ...[
    ', ',
    ': ',
    ' # ',
    '#',
    '}',
    '}}',
    '{',
    '[',
    ']',
    "'",
    '"',
    '\\',
    ' ',
    ',',
    ':',
    '!',
    '&',
    '*',
    '|',
    '@',
  ],
  ...[
    ', Q: ',
    ', Z: Q, Q: ',
    '}, Z: ',
    '}}, Q: { Z: ',
    "', Z: ",
    '", Z: ',
    ', Q: !',
    ', Z: [',
    ', Q: { ',
    '}}, Z: { Q: { Z: ',
  ],
)
const secret = fc
  .tuple(word, fc.array(fc.tuple(between, word), { maxLength: 5 }))
  .map(([first, rest]) => first + rest.flat().join(''))
  .filter((text) => text.length >= 4)

/** Text in quotes whose own quotes are not escaped; with two of them, the text between may be a name. */
const carelessly = (text: string, quote: string): string =>
  text.split(quote).length <= 2 ? `${quote}${text}${quote}` : JSON.stringify(text)

/** A secret as people write it, right and wrong. */
const written = fc.tuple(secret, fc.nat(6)).map(([text, form]) => {
  if (form <= 2) return text
  if (form === 3) return `'${text.replaceAll("'", "''")}'`
  if (form === 4) return JSON.stringify(text)
  return carelessly(text, form === 5 ? "'" : '"')
})

const inDefaults = (line: string): string => good.replace('defaults:\n', `defaults:\n  ${line}\n`)
const asDefaults = (map: string): string =>
  good.replace('defaults:\n  rest-api-admin-user: admin', `defaults: ${map}`)
const asHost = (map: string): string => good.replace('{ address: 10.0.0.11 }', map)

/** Every place of a secret, with mistakes around it. */
const places: readonly ((value: string) => string)[] = [
  (value) => inDefaults(`rest-api-admin-pass: ${value}`),
  (value) => inDefaults(`rest-api-admin-pas: ${value} # comment`),
  (value) => inDefaults(`java-keystore-password: ${value}\n  log-levl: x`),
  (value) => asDefaults(`{ rest-api-admin-pass: ${value} }`),
  (value) => asDefaults(`{ frob: x, rest-api-admin-pass: ${value}, java-keystore-path: x, frob: y }`),
  (value) => asDefaults(`{ rest-api-admin-pass: ${value}, frob: y, log-level: z, more: w }`),
  (value) => asDefaults(`{\n    db-secret: ${value}, frob: y,\n    log-level: z\n  }`),
  (value) => asDefaults(`{ rest-api-admin-pass: ${value}, java-keystore-password: ${value}, frob: y } # c`),
  (value) => asHost(`{ address: 10.0.0.300, options: { rest-api-admin-pass: ${value}, prot: 1 }, frob: x }`),
  (value) => asHost(`{ address: 10.0.0.11, ssh: { password: ${value}, usr: x }, frob: x }`),
  (value) => `hosts: { db1: { options: { rest-api-admin-pass: ${value} }, frob: x }, db2: { } }\n`,
  (value) => inDefaults(`rest-api-users: { ops: ${value}, night ly: , other: !env A_B, x: { y: } }`),
  (value) => inDefaults(`rest-api-users: { ops: { access: x, password: ${value}, more: x }, night ly: }`),
  (value) => inDefaults(`rest-api-users:\n    ops: ${value}\n    night ly: ${value}`),
  (value) =>
    inDefaults(`rest-api-users:\n    ops:\n      access: x\n      password: ${value}\n      more: y`),
  (value) => inDefaults(`rest-api-users:\n    ops: { access: raed, pasword: ${value}, more: y }`),
  (value) => `notify: [{ url: ${value}, on: [x], frob: y }]\n${good}`,
  (value) => `notify:\n  - url: ${value}\n    frob: x\n${good}`,
  (value) =>
    `notify:\n  - { url: !env HOOK, header: { name: a b, value: ${value}, frob: x }, more: y }\n${good}`,
  (value) => `x: &x { ops: ${value}, frob: x }\n${inDefaults('rest-api-users: *x')}`,
  (value) => `x-a: &x { rest-api-admin-pass: ${value}, frob: x }\n${inDefaults('<<: *x')}`,
  (value) => asDefaults(`{ log-level: &a ${value}, frob: x, rest-api-admin-pass: *a, more: y }`),
  (value) => inDefaults(`log-level: &a ${value}\n  rest-api-admin-pass: *a`),
]

const name = fc
  .tuple(fc.constantFrom('frob', 'java-keystore-path', 'nagios', 'mixed'), fc.nat(99))
  .map(([first, number]) => `${first}-${number}x`)
const reference = fc.constantFrom(
  '!env PW',
  '!env ADMIN_PASS',
  '!env _A1',
  '!file secrets/admin',
  '!exec [pass, show, muster]',
)
const literal = secret.map((text) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`))

describe('what is hidden of a file', () => {
  it('is every character of a secret, wherever and however it is written', () => {
    expect(shown(loadText(good))).not.toMatch(letters)
    fc.assert(
      fc.property(fc.constantFrom(...places), written, (place, value) => {
        expect(shown(loadText(place(value)))).not.toMatch(letters)
      }),
      { numRuns: propertyRuns(250) },
    )
  })

  it('is no reference, and no name after a reference or a secret in quotes', () => {
    const before = fc.oneof(reference, literal)
    fc.assert(
      fc.property(before, reference, name, name, (value, other, first, second) => {
        fc.pre(first !== second)
        const map = `{ rest-api-admin-pass: ${value}, ${first}: 1, java-keystore-password: ${other}, ${second}: 2 }`
        const seen = shown(loadText(asDefaults(map)))
        for (const one of [first, second]) expect(seen).toContain(`${one} is not an option.`)
        expect(seen).toContain(
          `${first}: [redacted], java-keystore-password: ${other}, ${second}: [redacted]`,
        )
        expect(seen).not.toMatch(letters)
      }),
    )
  })

  it('is no name after a reference that is hidden itself', () => {
    for (const value of ['!env Hunter2', '!exec [vault, -token=Hunter2]', "!file 'my Hunter2'"]) {
      const seen = shown(loadText(asDefaults(`{ rest-api-admin-pass: ${value}, frob: 1 }`)))
      expect(seen).toContain('frob is not an option.')
      expect(seen).not.toContain('Hunter2')
    }
  })

  it('is a name that may be part of a password, which is reported by its place', () => {
    const seen = shown(loadText(asDefaults('{ rest-api-admin-pass: k9, QZ: 7f }')))
    expect(seen).toContain('[redacted] (line 2, column 38) is not an option.')
    expect(seen).toContain('may be part of a secret that is not in quotes')
    expect(seen).not.toMatch(letters)
  })

  it('is no option that is nearly right after a password without quotes', () => {
    const map = '{ rest-api-admin-pass: hunter2hunter2, java-keystore-path: x, frob: y }'
    const seen = shown(loadText(asDefaults(map)))
    expect(seen).toContain(
      'rest-api-admin-pass: [redacted], java-keystore-path: [redacted], frob: [redacted] }',
    )
    expect(seen).toContain('Did you mean java-tls-keystore-path?')
    expect(seen).toContain('frob is not an option.')
  })

  it('is no name of a user who has a reference or follows a secret in quotes', () => {
    fc.assert(
      fc.property(fc.oneof(reference, literal), name, (value, user) => {
        const users = `{ ops: ${value}, ${user}: { access: raed }, last: !env PW }`
        const seen = shown(loadText(inDefaults(`rest-api-users: ${users}`)))
        expect(seen).toContain(`rest-api-users.${user}.access must be`)
        expect(seen).toContain(`${user}: { access: raed }, last: !env PW`)
        expect(seen).not.toMatch(letters)
      }),
    )
  })
})
