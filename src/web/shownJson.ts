import { printable } from '../base/printable.ts'

/**
 * Writes a value as JSON for the page. Texts in it may be a stranger's: invisible characters, and those that turn the
 * direction of writing, become visible escapes.
 */
export const shownJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'string' ? printable(member) : member))
