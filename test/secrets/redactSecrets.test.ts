import { expect, it } from 'vitest'
import { redactSecrets } from '../../src/secrets/redactSecrets.ts'

it.each([
  ['a value of three characters', 'key abc, abc', ['abc'], 'key [redacted], [redacted]'],
  ['each line of a value', 'two, then one', ['one\r\ntwo'], '[redacted], then [redacted]'],
  ['a value before one that is a part of it', 'password', ['pass', 'password'], '[redacted]'],
  ['nothing for a value of two characters, which is part of words', 'abab', ['ab'], 'abab'],
])('redaction replaces %s', (_, text, values, shown) => {
  expect(redactSecrets(text, values)).toBe(shown)
})
