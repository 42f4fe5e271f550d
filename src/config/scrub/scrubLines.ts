import type { Span } from '../../diagnostics/diagnostic.ts'
import { redacted } from '../../diagnostics/source.ts'
import { scrubComment } from './gap.ts'
import type { Placeholders } from './placeholders.ts'

const comment = /(?<![^ \t])#.*$/su

/** A word with the sign of an anchor, an alias, a tag, or an error. */
const word = /((?<![^\s,[{])[&*!@%])?([^\s\0,[\]{}:"'?|>-][^\s\0,[\]{}:"']*)/gu

/**
 * Scrubs a text that is not YAML: replaces every word except keywords; a possible piece of a secret is hidden
 * up to the end of its line. Lines, indentation, brackets and quotes stay.
 */
export function scrubLines(
  { text, hidden }: { readonly text: string; readonly hidden: readonly Span[] },
  words: Placeholders,
): string {
  const firstHidden = new Map<number, number>()
  for (const { line, endLine, column } of hidden) {
    for (let at = line; at <= endLine; at++) {
      const from = at === line ? column - 1 : 0
      firstHidden.set(at, Math.min(from, firstHidden.get(at) ?? from))
    }
  }
  return text
    .split('\n')
    .map((line, index) => {
      const [shown = '', end = ''] = /^(.*?)(\r?)$/s.exec(line)?.slice(1) ?? []
      return scrubLine(shown, firstHidden.get(index + 1) ?? shown.length, words) + end
    })
    .join('\n')
}

function scrubLine(line: string, end: number, words: Placeholders): string {
  const [spaces = ''] = /^[\s:]*/.exec(line.slice(end)) ?? []
  const shown = `${line.slice(0, end)}${spaces}`
  const [said = ''] = comment.exec(shown) ?? []
  const scrubbed = shown
    .slice(0, shown.length - said.length)
    .replaceAll(word, (_, sign = '', text: string) => `${sign}${words.word(text)}`)
  const rest = said === '' ? scrubSecret(line.slice(shown.length), shown) : scrubComment(said)
  // A NUL is a mistake of its own.
  return `${scrubbed}${rest}${line.slice(shown.length - said.length).includes('\0') ? '\0' : ''}`
}

/** Keeps only the quote that a secret leaves open. */
function scrubSecret(secret: string, before: string): string {
  if (secret === '') return ''
  if (secret.startsWith('#') && /(?:^|\s)$/.test(before)) return '#'
  if (before.trim() === '') return redacted
  const [quote] = /^["']/.exec(secret) ?? []
  return quote !== undefined && secret.indexOf(quote, 1) === -1 ? `${quote}${redacted}` : `'${redacted}'`
}
