/** What one line of an INI file is. Offsets are 0-based, the end exclusive. */
export type ReadLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'comment'; readonly text: string; readonly from: number }
  | { readonly kind: 'section'; readonly name: string; readonly from: number; readonly to: number }
  | { readonly kind: 'bad-section' | 'unread' }
  | {
      readonly kind: 'option'
      readonly key: string
      readonly keyFrom: number
      readonly value: string
      readonly valueFrom: number
      /** What follows the value on its line. */
      readonly comment?: string
      /** A blank and a backslash stood at its end. */
      readonly backslash: boolean
    }

const blanks = ' \t\f\v\r'

/** Without blanks at both ends. A no-break space is part of a value, so this is not `trim`. */
export function stripped(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && blanks.includes(text.charAt(from))) from += 1
  while (to > from && blanks.includes(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}

/** Where a # or ; after a blank starts a comment; the length of the line when none does. */
function commentStart(line: string): number {
  for (let at = 1; at < line.length; at++) {
    const character = line.charAt(at)
    if ((character === '#' || character === ';') && blanks.includes(line.charAt(at - 1))) return at
  }
  return line.length
}

/** Offset of the first character that is no blank, from `from` on. */
function firstOf(line: string, from: number): number {
  let at = from
  while (at < line.length && blanks.includes(line.charAt(at))) at += 1
  return at
}

/**
 * Reads one line as the reader of the family's `tpm` does (the Ruby library iniparse, in continuent's
 * tungsten-replicator): # or ; starts a comment at the start of a line or after a blank, the first equals
 * sign parts name and value, a value is taken as it is, quotes included, and never goes on in the next line.
 */
export function readLine(line: string): ReadLine {
  const start = firstOf(line, 0)
  if (start === line.length) return { kind: 'blank' }
  const first = line.charAt(start)
  if (first === '#' || first === ';') {
    return { kind: 'comment', text: stripped(line.slice(start + 1)), from: start }
  }
  const end = commentStart(line)
  const content = stripped(line.slice(0, end))
  const comment = end < line.length ? { comment: stripped(line.slice(end + 1)) } : {}
  if (first === '[') {
    const name = stripped(/^\[([^\]]+)\]$/.exec(content)?.[1] ?? '')
    return name === ''
      ? { kind: 'bad-section' }
      : { kind: 'section', name, from: start, to: start + content.length }
  }
  const equals = content.indexOf('=')
  const key = stripped(content.slice(0, Math.max(0, equals)))
  if (key === '') return { kind: 'unread' }
  const whole = stripped(content.slice(equals + 1))
  // The family's reader does so too: such a backslash is left from a command line.
  const backslash = whole.endsWith(' \\')
  const value = backslash ? stripped(whole.slice(0, -2)) : whole
  const valueFrom = firstOf(line.slice(0, end), start + equals + 1)
  return { kind: 'option', key, keyFrom: start, value, valueFrom, backslash, ...comment }
}
