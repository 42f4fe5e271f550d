import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import type { RawNode, RawProblem } from '../yaml.ts'
import type { Lines } from './lines.ts'

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

/**
 * Creates a finding for a syntax error; the parser's own message is not used, since it may quote the file.
 */
export function syntaxFinding(problem: RawProblem, context: SyntaxContext): Diagnostic {
  const place = { span: context.lines.span(problem.from, problem.to) }
  const closing = notClosed(problem.text)
  if (closing !== undefined) {
    const at = openedAt({ ...closing, before: problem.from }, context)
    const span = at === undefined ? place.span : context.lines.span(at, at + 1)
    return diagnose('not-closed', { what: closing.what, close: closing.name }, { span })
  }
  switch (problem.code) {
    case 'TAB_AS_INDENT':
      return diagnose('tab-indent', {}, place)
    case 'BAD_INDENT':
      return diagnose('bad-indent', {}, place)
    case 'BAD_SCALAR_START':
      return diagnose('needs-quotes', { character: context.text.charAt(problem.from) }, place)
    case 'BAD_DQ_ESCAPE':
      return diagnose('bad-escape', {}, place)
    case 'NON_STRING_KEY':
      return diagnose('key-not-text', {}, place)
    case 'TAG_RESOLVE_FAILED':
      return diagnose('unknown-tag', { nearest: undefined }, place)
    default:
      return diagnose('not-yaml', { detail: details[problem.code] ?? 'this text is not allowed here' }, place)
  }
}
