import type { ScalarMistake } from './mistakes.ts'

/** A text that reads as text without quotes, in lists and maps in brackets, too. */
const plainSafe =
  /^(?:[A-Za-z/~][\w./~-]*(?:[:@][\w./~-]+)*|\d+(?:\.\d+){3}|\d+(?:ms|s|m)|\d[0-9a-f]{3}:[0-9a-f:]*[0-9a-f])$/

const single = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** JSON's escapes are YAML's; a half character is escaped, too. */
const double = (text: string): string => JSON.stringify(text)

const needsEscape = /[\p{Cc}\p{Cs}]/u

function quoted(source: string, text: string, mistake: ScalarMistake | undefined): string {
  // A plain value that starts with a sign YAML keeps for itself.
  if (mistake === 'start') {
    return `${source.charAt(0)}${text.replaceAll(']', '-').replaceAll(/[^\w./-]/g, '')}`
  }
  if (mistake === 'escape') return `${double(text).slice(0, -1)}\\q"`
  if (needsEscape.test(text) || source.startsWith('"')) return double(text)
  if (source.startsWith("'")) return single(text)
  return plainSafe.test(text) ? text : single(text)
}

/**
 * A new value in the place of a scalar's source, a text in the same kind of quotes. It stands on one line; the lines that
 * the old one took beyond that are left empty, so that everything below stays on its line.
 */
export function scalarSource(
  source: string,
  value: string | number | boolean | null,
  mistake?: ScalarMistake,
): string {
  const breaks = source.match(/\r?\n/g)?.join('') ?? ''
  const last = source.slice(source.lastIndexOf('\n') + 1)
  const indent = breaks === '' ? '' : (/^ */.exec(last)?.[0] ?? '')
  const written = typeof value === 'string' ? quoted(source, value, mistake) : String(value)
  return `${written}${breaks}${indent}`
}
