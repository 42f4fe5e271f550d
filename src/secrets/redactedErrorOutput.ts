import { stripVTControlCharacters } from 'node:util'
import { lastLines } from '../base/printable.ts'
import { redactSecrets } from './redactSecrets.ts'

/**
 * Returns the end of an operator program's standard error on one line, without any of the values. Removes
 * colours first: an escape sequence inside a value must not hide it.
 */
export const redactedErrorOutput = (stderr: string, values: readonly string[]): string =>
  // A bell after a sequence goes with it in some versions of Node.js alone.
  lastLines(redactSecrets(stripVTControlCharacters(stderr).replaceAll('\u0007', ''), values))
