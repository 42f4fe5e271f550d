import { stripVTControlCharacters } from 'node:util'
import { lastLines } from '../base/printable.ts'
import { withoutSecrets } from './withoutSecrets.ts'

/**
 * The end of what a program of the operator's said on standard error, in one line, without any of the values. Its
 * colours are left out, and before the values are looked for: a sequence within one must not hide it.
 */
export const lastWords = (stderr: string, values: readonly string[]): string =>
  // A bell after a sequence goes with it in some versions of Node.js alone.
  lastLines(withoutSecrets(stripVTControlCharacters(stderr).replaceAll('\u0007', ''), values))
