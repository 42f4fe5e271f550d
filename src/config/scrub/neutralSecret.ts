import { passwordProblems } from '../../contracts/password.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** What validation said of a secret that is written out. */
export type SecretStrength = 'weak' | 'good'

/** Half of a character, which no password may hold. */
const half = '\ud800'

/**
 * What takes the place of a secret's text: `[redacted]` in a form of which validation says the same, a number
 * behind it where secrets differ. A well-known password becomes a weak one: no real password is ever printed.
 */
export function neutralSecret(text: string, strength: SecretStrength, names: Pseudonyms): string {
  if (text === '') return text
  if (passwordProblems(text).length > 0) return `${redacted}${half}`
  if (strength === 'good') return `${redacted}-${names.number('secret', text)}`
  // Below twelve characters it is weak; one digit of base 36 keeps it there.
  const number = names.number('weak', text)
  return number === 1 ? redacted : `${redacted}${(number % 36).toString(36)}`
}

/** The name of an environment variable for examples, or what is no such name either. */
export function neutralVariable(text: string, names: Pseudonyms): string {
  if (text === '') return text
  const joint = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? '_' : '-'
  return `VARIABLE${joint}${names.number('variable', text)}`
}

/** The path of a secret's file for examples. */
export const neutralFile = (text: string, names: Pseudonyms): string =>
  text === '' ? text : `secret-file-${names.number('file', text)}`

/** One word of a command for examples. */
export const neutralArgument = (text: string, names: Pseudonyms): string =>
  text === '' ? text : `argument${names.number('argument', text)}`
