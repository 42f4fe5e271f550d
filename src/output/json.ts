import { printable } from '../untrusted/printable.ts'

/** A value as JSON on one line; characters that nobody sees stand as escapes, so the value stays exact. */
export const jsonLineOf = (value: unknown): string => `${printable(JSON.stringify(value))}\n`

/** The same with each member on a line of its own. */
export const jsonText = (value: unknown): string => `${printable(JSON.stringify(value, null, 2))}\n`
