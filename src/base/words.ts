/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listOf(words: readonly string[], conjunction = 'and'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`
}

/** Joins at most `most` words and counts the rest: `a, b and 7 more`. */
export function shortListOf(words: readonly string[], most = 3): string {
  if (words.length <= most + 1) return listOf(words)
  return listOf([...words.slice(0, most), `${words.length - most} more`])
}

/** Counts a regular noun: `1 error`, `2 errors`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export const capitalized = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`

/** Ends a sentence with a dot, unless it has one. */
export const withDot = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`)

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Writes a number of bytes as a person reads it: `1.5 GB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
