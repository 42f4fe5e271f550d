import type { Span } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import type { MapEntry, YamlNode } from './node.ts'

const secretWord = /(?:pas|pwd|secret|token|credential|rest-api-users|notify)[\w-]*["']?\s*[:=]?/i
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
 * Returns the offset of the first value with an unknown name, unless a group starts there: a host has one.
 */
function unknownValue(line: string, isKnown: (name: string) => boolean): number | undefined {
  for (const { 0: text, 1: name = '', index } of line.matchAll(names)) {
    const end = index + text.length
    const rest = line.slice(end).trimStart()
    if (!isKnown(name) && rest !== '' && !/^[{[&]/.test(rest)) return end
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
    const found = secretWord.exec(line)
    const unknown = unknownValue(line, isKnown)
    if (unknown !== undefined) hidden.push(hiddenFrom(file, number, unknown + 1))
    if (found === null) continue
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
}

const restOfLine = Number.MAX_SAFE_INTEGER

/**
 * Returns the span from a key's end to the end of its value's last line: a comment there may be part of a
 * password.
 */
const fromKey = (entry: MapEntry): Span => ({
  ...entry.keySpan,
  line: entry.keySpan.endLine,
  column: entry.keySpan.endColumn,
  endLine: Math.max(entry.keySpan.endLine, entry.value.span.endLine),
  endColumn: restOfLine,
})

/**
 * Returns true for words of letters joined by underscores, such as `DB1_ADMIN_PASS`: names of environment
 * variables (POSIX.1-2017, XBD 8.1) that cannot be passwords. Other text after `!env` may be a password by
 * mistake.
 */
const isPlainVariable = (text: string): boolean =>
  text.length <= 64 && /^[A-Z]+\d{0,2}(?:_(?:[A-Z]+\d{0,2}|\d{1,2}))+$/.test(text)

const namesVariable = (node: YamlNode): boolean =>
  node.kind === 'scalar' &&
  node.tag === 'env' &&
  node.anchoredAt === undefined &&
  node.span.line === node.span.endLine &&
  isPlainVariable(node.source)

/**
 * Returns all spans that may contain a secret's value: the value, the anchored original, and the rest of the
 * line; for the plain name of an environment variable only the rest.
 */
export function hiddenSpansOf(entry: MapEntry): readonly Span[] {
  const { anchoredAt, span } = entry.value
  if (namesVariable(entry.value))
    return [{ ...span, line: span.endLine, column: span.endColumn, endColumn: restOfLine }]
  return anchoredAt === undefined ? [fromKey(entry)] : [fromKey(entry), anchoredAt]
}

const inside = (span: Span, outer: Span): boolean =>
  span.file === outer.file &&
  (span.line > outer.line || (span.line === outer.line && span.column >= outer.column)) &&
  (span.line < outer.endLine || (span.line === outer.endLine && span.column < outer.endColumn))

/** Members of a user that has more than a password. */
export const userMembers = ['access', 'password'] as const

const isOnLinesOfItsOwn = (node: YamlNode): node is Extract<YamlNode, { readonly kind: 'map' }> =>
  node.kind === 'map' && !node.flow && node.anchoredAt === undefined

/**
 * Returns the spans of the passwords in a map of users, so that names and levels can be shown; undefined if a line
 * may hold more of them.
 */
function insideUsers({ value }: MapEntry): readonly Span[] | undefined {
  return isOnLinesOfItsOwn(value) ? value.entries.flatMap(hiddenOfUser) : undefined
}

/** A line whose name is none of ours, nor one misspelt, may be a line of a password. */
function hiddenOfUser(user: MapEntry): readonly Span[] {
  const { value } = user
  if (!isOnLinesOfItsOwn(value) || value.entries.some(({ key }) => nearest(key, userMembers) === undefined)) {
    return hiddenSpansOf(user)
  }
  return value.entries.flatMap((entry) =>
    entry.key === 'access' && isOneLineText(entry.value) ? [] : hiddenSpansOf(entry),
  )
}

/** Members of a webhook, and of its header. */
export const webhookMembers = ['url', 'on', 'template', 'header', 'ca'] as const
export const headerMembers = ['name', 'value'] as const

/** Members whose values can be shown if they stand on lines of their own. */
const publicMembers: readonly string[] = ['on', 'name', 'ca']

/** Returns the spans of webhooks that may be secrets: all but what names say is public. */
function insideWebhooks(entry: MapEntry): readonly Span[] {
  const { value } = entry
  if (value.kind !== 'list' || value.flow || value.anchoredAt !== undefined) return hiddenSpansOf(entry)
  return value.items.flatMap((item) =>
    isOnLinesOfItsOwn(item)
      ? item.entries.flatMap(hiddenOfWebhook)
      : [{ ...item.span, endColumn: restOfLine }],
  )
}

function hiddenOfWebhook(entry: MapEntry): readonly Span[] {
  const { key, value } = entry
  if (key === 'header' && isOnLinesOfItsOwn(value)) return value.entries.flatMap(hiddenOfWebhook)
  const isOneLine = value.span.line === value.span.endLine && value.anchoredAt === undefined
  return publicMembers.includes(key) && value.kind !== 'map' && isOneLine ? [] : hiddenSpansOf(entry)
}

const isOneLineText = ({ kind, span, anchoredAt }: YamlNode): boolean =>
  kind === 'scalar' && span.line === span.endLine && anchoredAt === undefined

function collectHidden(node: YamlNode, names: SecretNames): Span[] {
  const { isSecret, isUserMap, isWebhooks } = names
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return node.items.flatMap((item) => collectHidden(item, names))
  const oneLine = node.flow && node.span.line === node.span.endLine
  const secret = node.entries.some((entry) => isSecret(entry.key))
  return node.entries.flatMap((entry) => {
    if (isUserMap(entry.key)) return insideUsers(entry) ?? hiddenSpansOf(entry)
    if (isWebhooks(entry.key)) return insideWebhooks(entry)
    if (isSecret(entry.key)) return hiddenSpansOf(entry)
    const beside = oneLine && secret && entry.value.kind === 'scalar' ? [entry.value.span] : []
    return [...beside, ...collectHidden(entry.value, names)]
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
 * Hides what must not be printed (options.md, last section): the value of every secret anywhere, and every
 * other scalar of a one-line map with a secret, since an unquoted comma or brace may have split a password.
 */
export function hideSecrets(
  root: YamlNode,
  names: SecretNames,
): { readonly root: YamlNode; readonly hidden: readonly Span[] } {
  const hidden = collectHidden(root, {
    isSecret: (name) => names.isSecret(name) || looksSecret(name),
    isUserMap: names.isUserMap,
    isWebhooks: names.isWebhooks,
  })
  const byLine = new Map<number, Span[]>()
  for (const span of hidden) {
    for (let line = span.line; line <= span.endLine; line++) {
      const there = byLine.get(line)
      if (there === undefined) byLine.set(line, [span])
      else there.push(span)
    }
  }
  const isHidden = (span: Span): boolean => (byLine.get(span.line) ?? []).some((outer) => inside(span, outer))
  return { root: hidden.length === 0 ? root : markHidden(root, isHidden), hidden }
}
