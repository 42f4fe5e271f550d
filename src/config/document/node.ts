import type { Span } from '../../diagnostics/diagnostic.ts'

/** The tags that say where a secret is read from (options.md, "The file"). */
export const referenceTags = ['env', 'file', 'exec'] as const

export type ReferenceTag = (typeof referenceTags)[number]

type Common = {
  readonly span: Span
  /** Where an aliased value was written, when that is not where it is used. */
  readonly anchoredAt?: Span
  readonly tag?: ReferenceTag
  /** It stands for something that has its finding already, such as an alias that leads nowhere. */
  readonly faulty?: boolean
  /** What it shows must not be printed: a secret, or something that may be a piece of one. */
  readonly hidden?: boolean
}

export type ScalarNode = Common & {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
  /** As written, without quotes: `0123` where value is 123. */
  readonly source: string
}

export type ListNode = Common & {
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

/** Entries in the order of the file, a key that is written twice included; merged ones (`<<`) last. */
export type MapNode = Common & {
  readonly kind: 'map'
  readonly flow: boolean
  readonly entries: readonly MapEntry[]
}

/** A YAML value that knows where it stands; aliases and merge keys are already followed. */
export type YamlNode = ScalarNode | ListNode | MapNode

/** What a value is, in words for a person; never the value of something hidden. */
export function describeNode(node: YamlNode): string {
  if (node.kind === 'map') return 'a group of names with values'
  if (node.kind === 'list') return 'a list'
  if (node.value === null) return 'nothing'
  const kind = typeof node.value === 'string' ? 'the text' : 'the value'
  if (node.hidden === true) return typeof node.value === 'string' ? 'text' : `a ${typeof node.value}`
  const source = node.source.length > 60 ? `${node.source.slice(0, 59)}…` : node.source
  return typeof node.value === 'string' ? `${kind} ${JSON.stringify(source)}` : `${kind} ${source}`
}
