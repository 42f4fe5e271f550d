import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import type { RawNode } from '../yaml.ts'
import type { Lines } from './lines.ts'
import { type MapEntry, type ReferenceTag, referenceTags, type YamlNode } from './node.ts'

/** Limit of values that aliases and merges add: a thousand hosts with ten shared options stay far below. */
const expansionLimit = 100_000

type Anchor = { readonly node: YamlNode; readonly size: number } | 'open'

const isTag = (word: string): word is ReferenceTag => (referenceTags as readonly string[]).includes(word)

const emptyNode = (span: Span): YamlNode => ({ kind: 'scalar', value: null, source: '', span, faulty: true })

const unknownAnchor = finding('unknown-anchor', () => ({
  message: 'The anchor that this alias (*…) names is not defined above it.',
  why: 'The alias has no value.',
  fix: "Define it first (&name), or put the value in single quotes if it is meant to start with '*'.",
}))

const anchorLoop = finding('anchor-loop', () => ({
  message: 'This alias (*…) is inside the value that it names.',
  why: 'The value would contain itself endlessly.',
  fix: 'Move the alias out of the value, or name another anchor.',
}))

const aliasBomb = finding('alias-bomb', (facts: { limit: number }) => ({
  message: `Aliases (*…) and merges (<<) expand the file to more than ${facts.limit} values.`,
  why: 'Aliases of aliases multiply and could use up the memory of this machine.',
  fix: 'Write the values out, or use defaults: for what all hosts share.',
}))

const mergeNotMapping = finding('merge-not-mapping', () => ({
  message: 'The merged value (<<) is not a group of names with values.',
  why: 'Only such a group, or a list of them, can be merged into another.',
  fix: 'Merge an anchored group, for example: <<: *common',
}))

export const unknownTag = finding('unknown-tag', (facts: { nearest: string | undefined }) => ({
  message: 'The tag (!…) before this value is not known.',
  why: 'Only !env, !file and !exec are known.',
  fix:
    facts.nearest === undefined
      ? "Remove the tag, or put the value in single quotes if it is meant to start with '!'."
      : `Did you mean !${facts.nearest}?`,
}))

/** Resolves aliases, merge keys and tags to one tree, with a finding for each that is invalid. */
export function resolveAliases(
  root: RawNode,
  lines: Lines,
): { root: YamlNode; findings: readonly Diagnostic[] } {
  const findings: Diagnostic[] = []
  const anchors = new Map<string, Anchor>()
  let added = 0
  let isReported = false

  const countAdded = (count: number, span: Span): boolean => {
    added += count
    if (added <= expansionLimit) return true
    if (!isReported) findings.push(aliasBomb({ limit: expansionLimit }, { span }))
    isReported = true
    return false
  }

  const tagOf = (raw: RawNode, span: Span): { tag?: ReferenceTag; faulty?: boolean } => {
    if (raw.tag === undefined) return {}
    const word = raw.tag.replace(/^!/, '')
    if (isTag(word)) return { tag: word }
    findings.push(unknownTag({ nearest: nearest(word, referenceTags) }, { span }))
    return { faulty: true }
  }

  const alias = (name: string, span: Span): { node: YamlNode; size: number } => {
    const anchor = anchors.get(name)
    if (anchor === undefined || anchor === 'open') {
      const report = anchor === undefined ? unknownAnchor : anchorLoop
      findings.push(report({}, { span }))
      return { node: emptyNode(span), size: 1 }
    }
    if (!countAdded(anchor.size, span)) return { node: emptyNode(span), size: 1 }
    const { node, size } = anchor
    return { node: { ...node, span, anchoredAt: node.anchoredAt ?? node.span }, size }
  }

  const mergedEntries = (node: YamlNode, own: ReadonlySet<string>): MapEntry[] => {
    const sources = node.kind === 'list' ? node.items : [node]
    const seen = new Set(own)
    const entries: MapEntry[] = []
    for (const source of sources) {
      // An alias without an anchor has its finding.
      if (source.faulty === true) continue
      if (source.kind !== 'map') {
        findings.push(mergeNotMapping({}, { span: source.span }))
        continue
      }
      if (!countAdded(source.entries.length, source.span)) break
      for (const entry of source.entries) if (!seen.has(entry.key)) entries.push(entry)
      for (const entry of source.entries) seen.add(entry.key)
    }
    return entries
  }

  const visitMap = (raw: Extract<RawNode, { kind: 'map' }>, span: Span): { node: YamlNode; size: number } => {
    const entries: MapEntry[] = []
    const merges: YamlNode[] = []
    let size = 1
    for (const { key, value } of raw.entries) {
      const visited = visit(value)
      size += visited.size
      if (key.kind === 'scalar' && key.plain && key.source === '<<') {
        merges.push(visited.node)
        continue
      }
      // A key that is no scalar has its finding from the reader already.
      if (key.kind !== 'scalar') continue
      entries.push({ key: key.source, keySpan: lines.span(key.from, key.to), value: visited.node })
    }
    for (const node of merges) {
      const own = new Set(entries.map((entry) => entry.key))
      // One by one: a call cannot take as many arguments as a file may have entries.
      for (const entry of mergedEntries(node, own)) entries.push(entry)
    }
    return {
      node: { kind: 'map', flow: raw.flow, entries, span, ...tagOf(raw, span) },
      size: size + entries.length,
    }
  }

  const visit = (raw: RawNode): { node: YamlNode; size: number } => {
    const span = lines.span(raw.from, raw.to)
    if (raw.kind === 'alias') return alias(raw.name, span)
    if (raw.anchor !== undefined) anchors.set(raw.anchor, 'open')
    const visited = visitValue(raw, span)
    if (raw.anchor !== undefined) anchors.set(raw.anchor, visited)
    return visited
  }

  const visitValue = (
    raw: Exclude<RawNode, { kind: 'alias' }>,
    span: Span,
  ): { node: YamlNode; size: number } => {
    if (raw.kind === 'map') return visitMap(raw, span)
    if (raw.kind === 'list') {
      const items = raw.items.map(visit)
      const size = items.reduce((sum, item) => sum + item.size, 1)
      const node: YamlNode = {
        kind: 'list',
        flow: raw.flow,
        items: items.map((item) => item.node),
        span,
        ...tagOf(raw, span),
      }
      return { node, size }
    }
    const { value, source } = raw
    const known = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    const node: YamlNode = {
      kind: 'scalar',
      value: known ? (value as string | number | boolean | null) : source,
      source,
      span,
      ...tagOf(raw, span),
    }
    return { node, size: 1 }
  }

  return { root: visit(root).node, findings }
}
