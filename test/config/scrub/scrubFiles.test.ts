import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKeyword } from '../../../src/config/scrub/keywords.ts'
import { placeholders } from '../../../src/config/scrub/placeholders.ts'
import { scrubLines } from '../../../src/config/scrub/scrubFiles.ts'
import { scrubText } from './scrubText.ts'

const scrub = (text: string): string => scrubLines({ text, hidden: [] }, placeholders())

describe('scrubbing a text that is not YAML', () => {
  it.each([
    ['cluster: acme # x', 'cluster: name1 #'],
    ['  log-level: "debug', '  log-level: "debug'],
    ['hosts: { db1: { address: 10.0.0.300 } }', 'hosts: { name1: { address: name2 } }'],
    ['- &acme *jane !env X', '- &name1 *name2 !env NAME3'],
    ['a: $#%@\\', 'name1: name2'],
    ['cluster: a\0b', 'cluster: name1\0name2'],
    ['port: 8090 8s', 'port: 8090 8s'],
  ])('writes %j as %j', (text, expected) => {
    expect(scrub(text)).toBe(expected)
  })

  it.each([
    ['rest-api-admin-pass: hunter2 x # y\n}{\n', "rest-api-admin-pass: '[redacted]'\n}{\n"],
    ['rest-api-admin-pass: "hunter2\n  more\n', 'rest-api-admin-pass: "[redacted]\n  [redacted]\n'],
    ['# pass\r\n}{', '#\r\n}{'],
    ['\u043a\u043b\u044e\u0447: tajna\n}{\n', 'name1: name2\n}{\n'],
  ])('removes the secret: %j becomes %j', (text, expected) => {
    expect(scrubText(text).text).toBe(expected)
  })

  it('keeps a word that is a name of the file', () => expect(scrub('ca')).toBe('ca'))

  it('keeps only YAML syntax, keywords and numbers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const rest = scrub(text)
          .replaceAll(/[Nn]ame\d+[x_]*|\b\d+\b/g, '')
          // Two letters may be a name of the file, such as ca.
          .replaceAll(/[a-z]+/g, (word) => (isKeyword(word) ? '' : word))
        expect(rest).toMatch(/^[\s\0'"[\]{}:@%*&!|>?,.#~-]*$/)
      }),
    )
  })
})
