import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { RawNode, RawProblem } from '../yaml.ts'
import type { Lines } from './lines.ts'
import { unknownTag } from './resolveAliases.ts'

/** Problems after which the tree is still correct. */
const harmless: readonly RawProblem['code'][] = [
  'TAB_AS_INDENT',
  'BAD_SCALAR_START',
  'BAD_DQ_ESCAPE',
  'TAG_RESOLVE_FAILED',
  'NON_STRING_KEY',
]

/** Returns true if the tree is unreliable after this problem. */
export const breaksTree = (problem: RawProblem): boolean => !harmless.includes(problem.code)

function within(node: RawNode): readonly RawNode[] {
  if (node.kind === 'list') return node.items.flatMap((item) => [item, ...within(item)])
  if (node.kind !== 'map') return []
  return node.entries.flatMap(({ key, value }) => [key, value, ...within(value)])
}

/** Collects every value of these texts on the first call. */
export function valuesOf(roots: readonly RawNode[]): () => readonly RawNode[] {
  let values: readonly RawNode[] | undefined
  return () => {
    values ??= roots.flatMap((root) => [root, ...within(root)])
    return values
  }
}

/**
 * Returns the offset of the last value that starts with one of these characters before an offset and is not
 * closed.
 */
function openedAt(opening: Opening, context: SyntaxContext): number | undefined {
  const { text } = context
  const unclosed = context
    .values()
    .filter(({ from }) => text.charAt(from) === opening.open && from < opening.before)
    .filter(({ from, to }) => to - from < 2 || text.charAt(to - 1) !== opening.close)
  return unclosed.at(-1)?.from
}

type Opening = { readonly open: string; readonly close: string; readonly before: number }

/** Derives what is not closed from the parser's message, which quotes nothing of the file. */
function notClosed(text: string): { what: string; open: string; close: string; name: string } | undefined {
  if (text.includes('"quote')) return { what: 'A double quote', open: '"', close: '"', name: 'double quote' }
  if (text.includes("'quote")) return { what: 'A single quote', open: "'", close: "'", name: 'single quote' }
  if (/end with a \}/.test(text)) return { what: 'A brace {', open: '{', close: '}', name: '}' }
  if (/end with a \]/.test(text)) return { what: 'A bracket [', open: '[', close: ']', name: ']' }
  return undefined
}

const details: Partial<Readonly<Record<RawProblem['code'], string>>> = {
  BLOCK_AS_IMPLICIT_KEY: 'a second "name:" is where the value of the first one should be',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing on this line, or its indentation is wrong',
  KEY_OVER_1024_CHARS: 'the name before the colon has more than 1024 characters',
  BLOCK_IN_FLOW: 'a value over several lines is not allowed inside brackets or braces',
  MULTIPLE_ANCHORS: 'a value can have one anchor (&…) only',
  MULTIPLE_TAGS: 'a value can have one tag (!…) only',
  ALIAS_PROPS: 'an alias (*…) can have neither anchor nor tag',
  BAD_ALIAS: 'the alias (*…) has no usable name',
  BAD_DIRECTIVE: 'a line that starts with % is a YAML directive, and this one is unknown',
  BAD_COLLECTION_TYPE: 'the tag (!…) does not fit the value after it',
  MISSING_CHAR: 'a character is missing here, such as a comma between values or a space after a colon',
}

type SyntaxContext = {
  readonly lines: Lines
  readonly text: string
  /** All parsed values, with nested ones. */
  readonly values: () => readonly RawNode[]
}

const notYaml = finding('not-yaml', (facts: { detail: string }) => ({
  message: `This is not YAML: ${facts.detail}.`,
  why: restUnread,
  fix: 'Write each option as "name: value", one per line, and quote values with special characters.',
}))

/** Reason of a finding after which nothing of a file is used. */
export const restUnread = 'muster cannot read the rest of the file reliably, so it uses none of it.'

const notClosedFinding = finding('not-closed', (facts: { what: string; close: string }) => ({
  message: `${facts.what} is opened and never closed.`,
  why: restUnread,
  fix: `Add the missing ${facts.close}.`,
}))

const badIndent = finding('bad-indent', () => ({
  message: 'The indentation does not fit the lines around it.',
  why: 'YAML defines groups by indentation alone.',
  fix: 'Indent names of the same group by the same number of spaces, and their contents by two more.',
}))

const tabIndent = finding('tab-indent', () => ({
  message: 'The line is indented with a tab.',
  why: 'YAML allows only spaces for indentation.',
  fix: 'Replace each tab with two spaces.',
}))

const needsQuotes = finding('needs-quotes', (facts: { character: string }) => ({
  message: `A value that starts with ${facts.character} must be quoted.`,
  why: 'This character is reserved in YAML, so the value would not be what you wrote.',
  fix: "Put the value in single quotes: '…' (and write a single quote inside it twice).",
}))

const badEscape = finding('bad-escape', () => ({
  message: 'This backslash in double quotes starts no escape sequence known to YAML.',
  why: 'The value would not be what you wrote.',
  fix: "Use single quotes, where a backslash has no special meaning: 'C\\dir'",
}))

const keyNotText = finding('key-not-text', () => ({
  message: 'The name before the colon is a list or a group.',
  why: 'Names of options and hosts must be plain text.',
  fix: 'Write a plain name before the colon.',
}))

/**
 * Creates a finding for a syntax error; the parser's own message is not used, since it may quote the file.
 */
export function syntaxFinding(problem: RawProblem, context: SyntaxContext): Diagnostic {
  const place = { span: context.lines.span(problem.from, problem.to) }
  const closing = notClosed(problem.text)
  if (closing !== undefined) {
    const at = openedAt({ ...closing, before: problem.from }, context)
    const span = at === undefined ? place.span : context.lines.span(at, at + 1)
    return notClosedFinding({ what: closing.what, close: closing.name }, { span })
  }
  switch (problem.code) {
    case 'TAB_AS_INDENT':
      return tabIndent({}, place)
    case 'BAD_INDENT':
      return badIndent({}, place)
    case 'BAD_SCALAR_START':
      return needsQuotes({ character: context.text.charAt(problem.from) }, place)
    case 'BAD_DQ_ESCAPE':
      return badEscape({}, place)
    case 'NON_STRING_KEY':
      return keyNotText({}, place)
    case 'TAG_RESOLVE_FAILED':
      return unknownTag({ nearest: undefined }, place)
    default:
      return notYaml({ detail: details[problem.code] ?? 'this text is not allowed here' }, place)
  }
}
