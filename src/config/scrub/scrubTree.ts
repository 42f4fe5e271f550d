import { accessLevels } from '../../contracts/accessLevels.ts'
import type { Span } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { looksSecret, userMembers } from '../document/hideSecrets.ts'
import { linesOf } from '../document/lines.ts'
import { isSecretName } from '../knownNames.ts'
import { options } from '../settings/options.ts'
import { file } from '../settings/places.ts'
import type { Setting } from '../settings/setting.ts'
import { isExtension } from '../shape/readFields.ts'
import type { RawNode, RawText } from '../yaml.ts'
import { scrubComment, scrubGap } from './gap.ts'
import { isNearlyKeyword, settings } from './keywords.ts'
import type { Placeholders } from './placeholders.ts'
import { type WebhookMember, webhookText } from './webhookText.ts'

/** Text that YAML reads as text without quotes, also in lists and maps in brackets. */
const plainSafe =
  /^(?:[A-Za-z/~][\w./~-]*(?:[:@][\w./~-]+)*|\d+(?:\.\d+){3}|\d+(?:ms|s|m)|\d[0-9a-f]{3}:[0-9a-f:]*[0-9a-f])$/

/** A text in double quotes with an escape that YAML does not know. */
const badEscape = /^"(?:[^\\]|\\[\s0abtnvfre"/\\N_LPxuU])*\\[^\s0abtnvfre"/\\N_LPxuU]/

const needsEscape = /[\p{Cc}\p{Cs}]/u

function quoted(source: string, text: string): string {
  // A plain value that starts with a reserved character is an error, which must stay.
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

/** A valid YAML text, and possible pieces of a secret in it. */
type ReadableText = {
  readonly text: string
  readonly parsed: Extract<RawText, { readonly tooDeep?: never }>
  readonly hidden: readonly Span[]
}

/** Context of a value. */
type ValueContext = {
  readonly setting?: Setting<unknown>
  /** Set if the names are those of hosts, services or users. */
  readonly names?: boolean
  /** Set at the top level of the file. */
  readonly isTop?: boolean
  /** Set inside the map of users, whose values are secrets. */
  readonly users?: boolean
  /** Set for a user: a secret, or a group with one. */
  readonly user?: boolean
  /** Set for the access level of a user. */
  readonly level?: boolean
  readonly secret?: boolean
  /** Set for the header of a webhook. */
  readonly header?: boolean
  /** Set for a text of a webhook. */
  readonly webhook?: WebhookMember
}

type Scalar = Extract<RawNode, { readonly kind: 'scalar' }>
type Value = string | number | boolean | null
type Piece = { readonly from: number; readonly to: number; readonly written: string }

/** Replaces private values of a text one by one; each stays on its line. */
export function scrubTree({ text, parsed, hidden }: ReadableText, words: Placeholders): string {
  const isHidden = hiddenIn(text, hidden)
  const pieces: Piece[] = parsed
    .comments()
    .map(({ from, to, text: comment }) => ({ from, to, written: scrubComment(comment) }))

  const write = (node: Scalar, value: Value): void => {
    const { from, to } = node
    const source = text.slice(from, to)
    // A block has a comment of its own in its first line, so it is always written anew.
    const stays = value === node.source || value === node.value
    const written = stays && !/[\n|>]/.test(source) ? source : scalarSource(source, value)
    if (to > from) pieces.push({ from, to, written })
  }

  const writtenValue = (node: Scalar, above: ValueContext, isReference: boolean): Value => {
    const value = plainValue(node)
    // A misspelt level is what its finding is about, so it stays.
    if (above.level && typeof value === 'string' && nearest(value, accessLevels) !== undefined) return value
    const isOwn = above.setting !== undefined && node.anchor === undefined
    if (isReference && typeof value === 'string') return words.reference(value)
    if (above.webhook && !isReference && typeof value === 'string') {
      return webhookText(above.webhook, value, words.reference(value))
    }
    if (isReference || above.secret || (!isOwn && isHidden(node))) return words.secret(value)
    if (typeof value === 'string') return words.text(value, above.setting)
    // A number may be the password of an option whose name is unknown.
    return typeof value === 'number' && above.setting === undefined && node.anchor === undefined ? 0 : value
  }

  const writtenKey = (name: string, above: ValueContext): Value => {
    if (above.user && nearest(name, userMembers) !== undefined) return name
    if (above.secret) return words.secret(name)
    if (above.isTop && isExtension(name)) return `x-${words.text(name)}`
    // A misspelt name of ours is what its finding is about, so it stays.
    return !above.names && isNearlyKeyword(name) ? name : words.text(name)
  }

  const visit = (node: RawNode, above: ValueContext, reference = false): void => {
    const isReference = reference || referenceTag.test(node.tag ?? '')
    if (node.kind === 'alias') return
    if (node.kind === 'list') {
      for (const item of node.items) visit(item, above, isReference)
      return
    }
    if (node.kind === 'scalar') {
      write(node, writtenValue(node, above, isReference))
      return
    }
    for (const { key, value } of node.entries) {
      const name = key.kind === 'scalar' ? key.source : ''
      if (key.kind === 'scalar') write(key, writtenKey(name, above))
      else visit(key, above)
      visit(value, contextBelow(above, name))
    }
  }
  for (const { node } of parsed.roots) if (node !== undefined) visit(node, { isTop: true })
  return joinPieces(text, pieces, words)
}

const referenceTag = /^!(?:env|file|exec)$/

/** Returns the value; one of a type that no setting has, such as binary, counts as its text. */
const plainValue = ({ value, source }: Scalar): Value =>
  value === null || typeof value === 'number' || typeof value === 'boolean' ? value : source

function contextBelow(above: ValueContext, name: string): ValueContext {
  if (above.users) return { secret: true, user: true }
  if (above.user && name === 'access') return { level: true }
  if (above.secret) return { secret: true }
  if (name === '<<') return above
  if (above.setting === file.notify || above.header) return belowWebhook(above, name)
  const setting = settings.get(name)
  if (setting === options.users) return { names: true, users: true }
  if (setting !== undefined) return { setting, secret: setting.secret }
  if (name === 'hosts' || name === 'services') return { names: true }
  return { secret: isSecretName(name) || looksSecret(name) }
}

/** Returns the context of a member of a webhook, or of its header. */
function belowWebhook({ header = false }: ValueContext, name: string): ValueContext {
  if (header) return name === 'name' ? { webhook: 'header' } : { secret: true }
  if (name === 'url' || name === 'template') return { webhook: name }
  if (name === 'header') return { header: true }
  return name === 'on' || name === 'ca' ? { setting: file.notify } : { secret: true }
}

/** Returns true for a node that starts in a possible piece of a secret. */
function hiddenIn(text: string, hidden: readonly Span[]): (node: RawNode) => boolean {
  const lines = linesOf('', text)
  const byLine = new Map<number, Span[]>()
  for (const span of hidden) {
    for (let line = span.line; line <= span.endLine; line++) {
      byLine.set(line, [...(byLine.get(line) ?? []), span])
    }
  }
  return ({ from }) => {
    const at = lines.span(from, from)
    return (byLine.get(at.line) ?? []).some((span) => isWithin(at, span))
  }
}

const isWithin = ({ line, column }: Span, outer: Span): boolean =>
  (line > outer.line || (line === outer.line && column >= outer.column)) &&
  (line < outer.endLine || (line === outer.endLine && column < outer.endColumn))

/** Joins the pieces in the order of the text, with the scrubbed text between them. */
function joinPieces(text: string, pieces: readonly Piece[], words: Placeholders): string {
  const out: string[] = []
  let at = 0
  for (const { from, to, written } of [...pieces].sort((a, b) => a.from - b.from)) {
    // The comment behind the sign of a block goes with the block.
    if (from < at) continue
    out.push(scrubGap(text.slice(at, from), words), written)
    at = to
  }
  return [...out, scrubGap(text.slice(at), words)].join('')
}
