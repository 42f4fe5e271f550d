/** A text that reads as text without quotes, in lists and maps in brackets, too. */
const plainSafe =
  /^(?:[A-Za-z/~][\w./~-]*(?:[:@][\w./~-]+)*|\d+(?:\.\d+){3}|\d+(?:ms|s|m)|\d[0-9a-f]{3}:[0-9a-f:]*[0-9a-f])$/

/** A text in double quotes with an escape that YAML does not know. */
const badEscape = /^"(?:[^\\]|\\[\s0abtnvfre"/\\N_LPxuU])*\\[^\s0abtnvfre"/\\N_LPxuU]/

const needsEscape = /[\p{Cc}\p{Cs}]/u

function quoted(source: string, text: string): string {
  // A plain value that starts with a sign YAML keeps for itself is a mistake that stays.
  if (/^[@`]/.test(source)) {
    return `${source.charAt(0)}${text.replaceAll(']', '-').replaceAll(/[^\w./-]/g, '')}`
  }
  if (badEscape.test(source)) return `${JSON.stringify(text).slice(0, -1)}\\q"`
  // JSON's escapes are YAML's; a half character is escaped, too.
  if (needsEscape.test(text) || source.startsWith('"')) return JSON.stringify(text)
  return plainSafe.test(text) && !source.startsWith("'") ? text : `'${text.replaceAll("'", "''")}'`
}

/**
 * A new value in the place of a scalar's source, a text in the same kind of quotes. It stands on one line; the lines that
 * the old one took beyond that are left empty, so that everything below stays on its line.
 */
export function scalarSource(source: string, value: string | number | boolean | null): string {
  const breaks = source.match(/\r?\n/g)?.join('') ?? ''
  const last = source.slice(source.lastIndexOf('\n') + 1)
  const indent = breaks === '' ? '' : (/^ */.exec(last)?.[0] ?? '')
  const written = typeof value === 'string' ? quoted(source, value) : String(value)
  return `${written}${breaks}${indent}`
}
