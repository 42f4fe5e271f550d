import type { Span } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import type { MapEntry, YamlNode } from './node.ts'

const secretWord = /(?:pas|pwd|secret|token|credential|rest-api-users|notify)[\w-]*["']?\s*[:=]?/gi
/** The plain name of an environment variable instead of a secret, and nothing else. */
const variable = /^\s*!env\s+[A-Z_][A-Z\d_]{0,63}\s*(?:,|[\]}\s]*$)/
/**
 * Beginning of an option or a group: a name and its colon. Any other text may belong to the value before it.
 */
const namedLine = /^[\s-]*["']?[\w.-]+["']?\s*:/
/** Brackets alone: the most common syntax error, and no part of a password. */
const brackets = /^[\s{}[\],-]*[{}[\]][\s{}[\],-]*$/
const names = /(?<![\w.-])([\w.-]+)["']?\s*:/g

const endOfLine = Number.MAX_SAFE_INTEGER

const indentOf = (line: string): number => /^[\s-]*/.exec(line)?.[0].length ?? 0

const hiddenFrom = (file: string, line: number, column: number): Span => ({
  file,
  line,
  column,
  endLine: line,
  endColumn: endOfLine,
})

/**
 * Returns the offset of the first value with an unknown name or an anchor, which an alias may use for a secret;
 * unless a group starts there: a host has one.
 */
function unknownValue(line: string, isKnown: (name: string) => boolean): number | undefined {
  for (const { 0: text, 1: name = '', index } of line.matchAll(names)) {
    const end = index + text.length
    const rest = line.slice(end).trimStart()
    if ((!isKnown(name) || rest.startsWith('&')) && !/^(?:&\S*\s*)?(?:[{[]|$)/.test(rest)) return end
  }
  return undefined
}

/** Returns true if a quote is still open at the end of the text. */
function leavesQuoteOpen(text: string): boolean {
  const value = text.trim()
  const quote = value.charAt(0)
  if (quote !== '"' && quote !== "'") return false
  return value.length < 2 || value.indexOf(quote, 1) === -1
}

/**
 * Finds what to hide in a text that is not YAML. Rather hides too much: from each word that looks like a
 * secret to the end of its line, with all later lines that are deeper or begin without a name (all lines, if
 * it opens a quote), and the value of every name that `isKnown` does not know.
 */
export function hideSecretsInText(
  file: string,
  text: string,
  isKnown: (name: string) => boolean,
): readonly Span[] {
  const hidden: Span[] = []
  let secretIndent: number | undefined
  let open = false
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1
    if (!open && secretIndent !== undefined && indentOf(line) <= secretIndent && brackets.test(line)) continue
    if (open || (secretIndent !== undefined && (indentOf(line) > secretIndent || !namedLine.test(line)))) {
      hidden.push(hiddenFrom(file, number, 1))
      continue
    }
    secretIndent = undefined
    const found = [...line.matchAll(secretWord)].find(
      ({ 0: word, index: at }) => !variable.test(line.slice(at + word.length)),
    )
    const unknown = unknownValue(line, isKnown)
    if (unknown !== undefined) hidden.push(hiddenFrom(file, number, unknown + 1))
    if (found === undefined) continue
    const end = found.index + found[0].length
    hidden.push(hiddenFrom(file, number, end + 1))
    secretIndent = indentOf(line)
    open = leavesQuoteOpen(line.slice(end))
  }
  return hidden
}

/** Returns true for names whose values are treated as secrets anywhere, known or not. */
export const looksSecret = (name: string): boolean => /pas+|pwd|secret|token|credential/i.test(name)

/** Names of values that must not be printed. */
export type SecretNames = {
  readonly isSecret: (name: string) => boolean
  /** Names of maps of users, whose names are public. */
  readonly isUserMap: (name: string) => boolean
  /** Name of the list of webhooks, whose events are public. */
  readonly isWebhooks: (name: string) => boolean
  /** Names of options and groups, and long ones that are nearly the same: no part of a password. */
  readonly isRecognized: (name: string) => boolean
  readonly isKnown: (name: string) => boolean
}

const restOfLine = Number.MAX_SAFE_INTEGER

/** Words of a program that can be shown; an option such as --token is followed by a secret. */
const isPublicWord = (word: string, index: number): boolean =>
  /^[\w@%+:,./~-]+$/.test(word) && !(index > 0 && word.startsWith('-') && looksSecret(word))

/**
 * Returns true for a reference that names where a secret is. Text after the tag may be a password by mistake, so
 * names of environment variables are in capitals (POSIX.1-2017, XBD 8.1), and paths and words are plain.
 */
export function isPublicReference(node: YamlNode): boolean {
  if (node.faulty === true) return false
  if (node.kind === 'scalar') {
    if (node.tag === 'env') return /^[A-Z_][A-Z\d_]{0,63}$/.test(node.source)
    return node.tag === 'file' && /^[\w./~@%+-]+$/.test(node.source)
  }
  return (
    node.kind === 'list' &&
    node.tag === 'exec' &&
    node.items.length > 0 &&
    node.items.every((item, index) => item.kind === 'scalar' && isPublicWord(item.source, index))
  )
}

/** Returns true for a reference that ends where YAML says so, whether it can be shown or not. */
const isWholeReference = (node: YamlNode): boolean =>
  node.faulty !== true &&
  ((node.tag === 'env' && node.kind === 'scalar' && /^[A-Za-z_]\w*$/.test(node.source)) ||
    (node.tag === 'exec' &&
      node.kind === 'list' &&
      node.flow &&
      node.items.every((item) => item.kind === 'scalar' && typeof item.value === 'string')))

/**
 * Returns all spans that may contain the value of an entry on lines of its own: the value, the anchored original,
 * and the rest of the line, since a comment there may be part of a password.
 */
export function hiddenSpansOf({ keySpan, value }: MapEntry): readonly Span[] {
  const { anchoredAt, span } = value
  const rest = { ...span, line: span.endLine, column: span.endColumn, endColumn: restOfLine }
  if (isPublicReference(value)) return [rest]
  const whole = {
    ...keySpan,
    line: keySpan.endLine,
    column: keySpan.endColumn,
    endLine: Math.max(keySpan.endLine, span.endLine),
    endColumn: restOfLine,
  }
  return anchoredAt === undefined ? [whole] : [whole, anchoredAt]
}

const inside = (span: Span, outer: Span): boolean =>
  span.file === outer.file &&
  (span.line > outer.line || (span.line === outer.line && span.column >= outer.column)) &&
  (span.line < outer.endLine || (span.line === outer.endLine && span.column < outer.endColumn))

/** Members of a user that has more than a password. */
export const userMembers = ['access', 'password'] as const

/** Members of a webhook, and of its header. */
export const webhookMembers = ['url', 'on', 'template', 'header', 'ca'] as const
export const headerMembers = ['name', 'value'] as const

/** Members of a webhook whose values can be shown. */
const publicMembers: readonly string[] = ['on', 'name', 'ca']

/** A value that must not be shown, from the end of its key; `besideOthers` if its line has other values. */
type SecretValue = { readonly from: Span; readonly value: YamlNode; readonly besideOthers: boolean }

type GroupNode = Extract<YamlNode, { readonly kind: 'map' }>

/** Returns true for a group that begins with one of these names, perhaps misspelt; any other may be a password. */
const isGroupOf = (node: YamlNode, members: readonly string[]): node is GroupNode =>
  node.kind === 'map' &&
  node.tag === undefined &&
  node.faulty !== true &&
  nearest(node.entries[0]?.key ?? '', members) !== undefined

const isOneLine = (node: YamlNode): boolean =>
  node.kind !== 'map' && node.span.line === node.span.endLine && node.anchoredAt === undefined

/** Collects the secrets of a tree. */
function secretsOf(root: YamlNode, names: SecretNames): readonly SecretValue[] {
  const found: SecretValue[] = []
  const add = ({ keySpan, value }: MapEntry, flow: boolean): void => {
    const from = { ...keySpan, line: keySpan.endLine, column: keySpan.endColumn }
    found.push({ from, value, besideOthers: flow })
  }
  const addUser = (user: MapEntry, flow: boolean): void => {
    const { value } = user
    const isClear =
      isGroupOf(value, userMembers) &&
      value.entries.every(({ key }) => nearest(key, userMembers) !== undefined)
    // On lines of its own, a name that is none of ours may begin a line of a password.
    if (!isGroupOf(value, userMembers) || (!isClear && !value.flow)) {
      add(user, flow)
      return
    }
    for (const member of value.entries) {
      const isLevel = member.key === 'access' && member.value.kind === 'scalar' && isOneLine(member.value)
      if (!isClear || !isLevel) add(member, flow || value.flow)
    }
  }
  const addWebhook = ({ entries, flow }: GroupNode, outer: boolean): void => {
    for (const member of entries) {
      const { key, value } = member
      if (key === 'header' && isGroupOf(value, headerMembers)) addWebhook(value, outer || flow)
      else if (!publicMembers.includes(key) || !isOneLine(value)) add(member, outer || flow)
    }
  }
  const addWebhooks = (entry: MapEntry, flow: boolean): void => {
    const { value } = entry
    if (value.kind !== 'list') {
      add(entry, flow)
      return
    }
    const inner = flow || value.flow
    for (const item of value.items) {
      if (isGroupOf(item, webhookMembers)) addWebhook(item, inner)
      else found.push({ from: item.span, value: item, besideOthers: inner })
    }
  }
  const visit = (node: YamlNode, outer: boolean): void => {
    if (node.kind === 'scalar') return
    const flow = outer || node.flow
    if (node.kind === 'list') {
      for (const item of node.items) visit(item, flow)
      return
    }
    for (const entry of node.entries) {
      const { key, value } = entry
      if (names.isUserMap(key)) {
        if (value.kind !== 'map' || value.tag !== undefined || value.faulty === true) add(entry, flow)
        else for (const user of value.entries) addUser(user, flow || value.flow)
      } else if (names.isWebhooks(key)) addWebhooks(entry, flow)
      else if (names.isSecret(key) || looksSecret(key)) add(entry, flow)
      else visit(value, flow)
    }
  }
  visit(root, false)
  return found
}

/** What a line has: its names with their values, and the column where the last of them ends. */
type Line = { readonly entries: MapEntry[]; end: number }

/** Collects what these lines have. */
function contentsOf(root: YamlNode, numbers: ReadonlySet<number>): ReadonlyMap<number, Line> {
  const lines = new Map([...numbers].map((number): [number, Line] => [number, { entries: [], end: 1 }]))
  const reach = ({ endLine, endColumn }: Span): void => {
    const line = lines.get(endLine)
    if (line !== undefined) line.end = Math.max(line.end, endColumn)
  }
  const visit = (node: YamlNode): void => {
    reach(node.span)
    if (node.anchoredAt !== undefined) reach(node.anchoredAt)
    if (node.kind === 'list') for (const item of node.items) visit(item)
    if (node.kind !== 'map') return
    for (const entry of node.entries) {
      reach(entry.keySpan)
      lines.get(entry.keySpan.line)?.entries.push(entry)
      visit(entry.value)
    }
  }
  visit(root)
  for (const { entries } of lines.values()) entries.sort((a, b) => a.keySpan.column - b.keySpan.column)
  return lines
}

/** Texts in quotes, where a value or a name may be. */
const quotedTexts = /(?<=^|[\s,:[{])(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")(?=\s*(?:[,:}\]]|$))/g

/**
 * Returns a check whether a value ends where its text says so: after its closing quote, unless the line has another
 * such quote without a partner. The quotes inside a password may not have been escaped.
 */
function closedValues(lines: readonly string[]): (span: Span) => boolean {
  // A file without line breaks has all its secrets on one line.
  const rests = new Map<number, string>()
  const withoutQuoted = (line: number): string => {
    const known = rests.get(line)
    if (known !== undefined) return known
    const rest = (lines[line - 1] ?? '').replaceAll(quotedTexts, (quoted) => ' '.repeat(quoted.length))
    rests.set(line, rest)
    return rest
  }
  return ({ line, column, endLine, endColumn }) => {
    const quote = lines[line - 1]?.charAt(column - 1)
    if (quote !== '"' && quote !== "'") return false
    const isWhole = endLine > line || endColumn - column >= 2
    if (!isWhole || lines[endLine - 1]?.charAt(endColumn - 2) !== quote) return false
    return withoutQuoted(endLine).lastIndexOf(quote) < endColumn - 1
  }
}

/** Text of a file, as lines. */
type Text = { readonly root: YamlNode; readonly lines: readonly string[] }

/**
 * Returns the spans that may contain these secrets. A value without quotes may be longer than YAML reads it: a comma
 * or a brace begins what looks like the next name. So it is hidden up to a name that is recognized, or that has a
 * reference as its value.
 */
function spansOf(
  secrets: readonly SecretValue[],
  { root, lines }: Text,
  names: SecretNames,
): readonly Span[] {
  const others = new Set(
    secrets.flatMap(({ value: { span, anchoredAt }, besideOthers }) => [
      ...(besideOthers ? [span.endLine] : []),
      ...(anchoredAt === undefined ? [] : [anchoredAt.endLine]),
    ]),
  )
  const contents = others.size === 0 ? new Map<number, Line>() : contentsOf(root, others)

  const isNoPiece = ({ key, value }: MapEntry): boolean =>
    names.isRecognized(key) ||
    isPublicReference(value) ||
    (value.kind === 'map' && (names.isKnown(value.entries[0]?.key ?? '') || isGroupOf(value, userMembers)))

  const isClosed = closedValues(lines)
  const textOf = (line: number): string => lines[line - 1] ?? ''

  /** Returns the place of a comment at the end of the line where this ends. */
  const commentAfter = ({ endLine, endColumn, ...span }: Span): readonly Span[] => {
    const end = Math.max(contents.get(endLine)?.end ?? 1, endColumn)
    const rest = textOf(endLine).slice(end - 1)
    const gap = /^[\s,\]}]*/.exec(rest)?.[0].length ?? 0
    if (gap === rest.length) return []
    return [{ ...span, line: endLine, column: end + gap, endLine, endColumn: restOfLine }]
  }

  /** Returns the place of a value, with what may belong to it, and of a comment. */
  const withRest = (from: Pick<Span, 'line' | 'column'>, span: Span, value: YamlNode): readonly Span[] => {
    const own = { ...span, line: from.line, column: from.column }
    if (isWholeReference(value) || isClosed(span)) return [own, ...commentAfter(span)]
    const next = contents
      .get(span.endLine)
      ?.entries.find((entry) => entry.keySpan.column >= span.endColumn && isNoPiece(entry))
    if (next === undefined) return [{ ...own, endColumn: restOfLine }]
    const before = textOf(span.endLine)
      .slice(0, next.keySpan.column - 1)
      .trimEnd()
    const comma = before.endsWith(',') ? 1 : 0
    return [{ ...own, endColumn: before.length + 1 - comma }, ...commentAfter(span)]
  }

  const hasNoValue = ({ from, value }: SecretValue): boolean =>
    value.kind === 'scalar' &&
    value.value === null &&
    value.tag === undefined &&
    !/^\s*:/.test(textOf(from.line).slice(from.column - 1))

  return secrets.flatMap((secret) => {
    const { from, value } = secret
    const { span, anchoredAt } = value
    if (hasNoValue(secret)) return []
    if (isPublicReference(value)) return commentAfter(span)
    if (anchoredAt === undefined) return withRest(from, span, value)
    const alias = { ...span, line: from.line, column: from.column }
    return [alias, ...commentAfter(span), ...withRest(anchoredAt, anchoredAt, value)]
  })
}

function markHidden(node: YamlNode, isHidden: (span: Span) => boolean): YamlNode {
  const own = isHidden(node.span) || (node.anchoredAt !== undefined && isHidden(node.anchoredAt))
  const flag = own ? { hidden: true } : {}
  if (node.kind === 'scalar') return { ...node, ...flag }
  if (node.kind === 'list')
    return { ...node, ...flag, items: node.items.map((item) => markHidden(item, isHidden)) }
  const entries = node.entries.map((entry) => ({
    ...entry,
    value: markHidden(entry.value, isHidden),
    ...(isHidden(entry.keySpan) ? { hidden: true } : {}),
  }))
  return { ...node, ...flag, entries }
}

/**
 * Hides what must not be printed (options.md, last section): the value of every secret, and what follows it on its
 * line if that may be a part of it.
 */
export function hideSecrets(
  root: YamlNode,
  text: string,
  names: SecretNames,
): { readonly root: YamlNode; readonly hidden: readonly Span[] } {
  const secrets = secretsOf(root, names)
  if (secrets.length === 0) return { root, hidden: [] }
  const hidden = spansOf(secrets, { root, lines: text.split('\n') }, names)
  const byLine = new Map<number, Span[]>()
  for (const span of hidden) {
    for (let line = span.line; line <= span.endLine; line++) {
      const there = byLine.get(line)
      if (there === undefined) byLine.set(line, [span])
      else there.push(span)
    }
  }
  const isHidden = (span: Span): boolean => (byLine.get(span.line) ?? []).some((outer) => inside(span, outer))
  return { root: markHidden(root, isHidden), hidden }
}
