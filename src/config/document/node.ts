import type { Span } from '../../diagnostics/diagnostic.ts'
import { redacted } from '../../diagnostics/source.ts'

/** Tags that name the source of a secret (options.md, "The file"). */
export const referenceTags = ['env', 'file', 'exec'] as const

export type ReferenceTag = (typeof referenceTags)[number]

type Common = {
  readonly span: Span
  /** Original place of an aliased value, if it differs. */
  readonly anchoredAt?: Span
  readonly tag?: ReferenceTag
  /** Already has a finding, such as an alias without an anchor. */
  readonly faulty?: boolean
  /** Must not be printed: a secret, or possibly a piece of one. */
  readonly hidden?: boolean
}

export type ScalarNode = Common & {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
  /** As in the file, without quotes: `0123` for the value 123. */
  readonly source: string
}

type ListNode = Common & {
  readonly kind: 'list'
  readonly flow: boolean
  readonly items: readonly YamlNode[]
}

export type MapEntry = {
  readonly key: string
  readonly keySpan: Span
  readonly value: YamlNode
  /** The key must not be printed. */
  readonly hidden?: boolean
}

/** Entries in the order of the file, with duplicate keys; merged ones (`<<`) last. */
export type MapNode = Common & {
  readonly kind: 'map'
  readonly flow: boolean
  readonly entries: readonly MapEntry[]
}

/** A YAML value with its place; aliases and merge keys are resolved. */
export type YamlNode = ScalarNode | ListNode | MapNode

/** Name of a key in a message; the place of one that must not be printed. */
type KeyName = { readonly name: string; readonly hidden?: true }

/** Names a key for a message; names one that must not be printed by its place. */
export function keyName({ key, keySpan, hidden }: MapEntry): KeyName {
  if (hidden !== true) return { name: key }
  return { name: `${redacted} (line ${keySpan.line}, column ${keySpan.column})`, hidden }
}

/** Explains why a name is hidden, after another sentence. */
export const whyHidden = ({ hidden }: Pick<KeyName, 'hidden'>): string =>
  hidden === true ? ' The name is hidden, because it may be part of a secret that is not in quotes.' : ''

/** Returns the fix for a name that is hidden. */
export const fixHidden = ({ hidden }: Pick<KeyName, 'hidden'>): string | undefined =>
  hidden === true
    ? "Put the secret in single quotes: '…' (and write a single quote inside it twice). Then the name is shown."
    : undefined

/** Describes the kind of a value for a person; never shows a hidden value. */
export function describeNode(node: YamlNode): string {
  if (node.kind === 'map') return 'a group of names with values'
  if (node.kind === 'list') return 'a list'
  if (node.value === null) return 'nothing'
  const kind = typeof node.value === 'string' ? 'the text' : 'the value'
  if (node.hidden === true) return typeof node.value === 'string' ? 'text' : `a ${typeof node.value}`
  const source = node.source.length > 60 ? `${node.source.slice(0, 59)}…` : node.source
  return typeof node.value === 'string' ? `${kind} ${JSON.stringify(source)}` : `${kind} ${source}`
}
