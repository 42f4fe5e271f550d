/** Text that YAML reads as text without quotes, also in lists and maps in brackets. */
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
 * Writes a new value in place of a scalar's source, text in the same quotes. It takes one line; further lines
 * of the old one are left empty, so that all below keeps its line number.
 */
export function scalarSource(source: string, value: string | number | boolean | null): string {
  const breaks = source.match(/\r?\n/g)?.join('') ?? ''
  const last = source.slice(source.lastIndexOf('\n') + 1)
  const indent = breaks === '' ? '' : (/^ */.exec(last)?.[0] ?? '')
  const written = typeof value === 'string' ? quoted(source, value) : String(value)
  return `${written}${breaks}${indent}`
}
