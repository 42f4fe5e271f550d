import { printableLine } from '../../base/printable.ts'

/** Longest text of a host that is shown on one line. */
const longest = 2000

/** Makes text from elsewhere fit to be shown: one line without invisible characters, bounded. */
export const shown = (text: string): string =>
  printableLine(text.length > longest ? `${text.slice(0, longest)}…` : text)

/** Writes a count with its noun: `1 host`, `3 hosts`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`

/** Joins names as a sentence does: `db1, db2 and db3`. */
export function listText(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** Cuts a name in its middle, since names of hosts differ at both ends. */
export function cutMiddle(text: string, length: number): string {
  const characters = [...text]
  if (characters.length <= length) return text
  const head = Math.ceil((length - 1) * 0.6)
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (length - 1 - head)).join('')}`
}

const collator = new Intl.Collator('en', { numeric: true })

/** Orders names as people count: db2 before db10. */
export const byName = (one: string, other: string): number => collator.compare(one, other)
