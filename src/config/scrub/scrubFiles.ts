import type { Span } from '../../diagnostics/diagnostic.ts'
import { redacted } from '../../diagnostics/source.ts'
import { readDocument } from '../document/readDocument.ts'
import { breaksTree } from '../document/syntaxFindings.ts'
import { fileNames } from '../knownNames.ts'
import { type ConfigFile, type LoadResult, loadConfig } from '../load.ts'
import { parseYaml } from '../yaml.ts'
import { scrubComment } from './gap.ts'
import { type Placeholders, placeholders } from './placeholders.ts'
import { scrubTree } from './scrubTree.ts'

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
  const [commentText = ''] = comment.exec(shown) ?? []
  const scrubbed = shown
    .slice(0, shown.length - commentText.length)
    .replaceAll(word, (_, sign = '', text: string) => `${sign}${words.word(text)}`)
  const rest = commentText === '' ? scrubSecret(line.slice(shown.length), shown) : scrubComment(commentText)
  // A NUL is a mistake of its own.
  return `${scrubbed}${rest}${line.slice(shown.length - commentText.length).includes('\0') ? '\0' : ''}`
}

/** Keeps only the quote that a secret leaves open. */
function scrubSecret(secret: string, before: string): string {
  if (secret === '') return ''
  if (secret.startsWith('#') && /(?:^|\s)$/.test(before)) return '#'
  if (before.trim() === '') return redacted
  const [quote] = /^["']/.exec(secret) ?? []
  return quote !== undefined && secret.indexOf(quote, 1) === -1 ? `${quote}${redacted}` : `'${redacted}'`
}

/** Files that can be shared, in the given order. */
type ScrubbedFiles = {
  readonly texts: readonly string[]
  /** True if validation has the same findings in the same lines. */
  readonly hasSameFindings: boolean
}

/** Depth limit, as in the file reader. */
const maxDepth = 64

/**
 * Replaces every scalar except keywords and numbers by a placeholder, equal ones by the same, and removes
 * comments. Lines and structure stay; secrets and possible pieces of them become [redacted].
 */
export function scrubFiles(given: {
  readonly files: readonly ConfigFile[]
  /** The operator's home, absolute. */
  readonly home: string
}): ScrubbedFiles {
  const { files, home } = given
  const words = placeholders()
  const texts = files.map((file) => scrubOne(file, words))
  const scrubbed = files.map((file, index) => ({ ...file, text: texts[index] ?? '' }))
  const [before, after] = [loadConfig({ files, home }), loadConfig({ files: scrubbed, home })]
  const hasSameFindings = files.every(
    ({ name }) => findingLines(before, name).join() === findingLines(after, name).join(),
  )
  return { texts, hasSameFindings }
}

function scrubOne(file: ConfigFile, words: Placeholders): string {
  const [mark = ''] = /^\ufeff?/.exec(file.text) ?? []
  const text = file.text.slice(mark.length)
  const { hidden } = readDocument({ name: file.name, text }, fileNames)
  const parsed = text.includes('\0') ? undefined : parseYaml(text, maxDepth)
  const isTree = parsed !== undefined && parsed.tooDeep === undefined && !parsed.problems.some(breaksTree)
  return mark + (isTree ? scrubTree({ text, parsed, hidden }, words) : scrubLines({ text, hidden }, words))
}

/**
 * Lists line and code of every finding in a file, sorted. A well-known password counts as a weak one, since
 * scrubbing replaces it by one.
 */
export const findingLines = ({ diagnostics }: LoadResult, file: string): readonly string[] =>
  diagnostics
    .filter(({ span }) => span.file === file)
    .map(({ code, span }) => `${span.line} ${code === 'default-password' ? 'weak-password' : code}`)
    .sort()
