import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import type { RawNode } from '../yaml.ts'
import type { Lines } from './lines.ts'
import { type MapEntry, type ReferenceTag, referenceTags, type YamlNode } from './node.ts'

/** Limit of values that aliases and merges add: a thousand hosts with ten shared options stay far below. */
const expansionLimit = 100_000

type Anchor = { readonly node: YamlNode; readonly size: number } | 'open'

const isTag = (word: string): word is ReferenceTag => (referenceTags as readonly string[]).includes(word)

const emptyNode = (span: Span): YamlNode => ({ kind: 'scalar', value: null, source: '', span, faulty: true })

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
    if (!isReported) findings.push(diagnose('alias-bomb', { limit: expansionLimit }, { span }))
    isReported = true
    return false
  }

  const tagOf = (raw: RawNode, span: Span): { tag?: ReferenceTag; faulty?: boolean } => {
    if (raw.tag === undefined) return {}
    const word = raw.tag.replace(/^!/, '')
    if (isTag(word)) return { tag: word }
    findings.push(diagnose('unknown-tag', { nearest: nearest(word, referenceTags) }, { span }))
    return { faulty: true }
  }

  const alias = (name: string, span: Span): { node: YamlNode; size: number } => {
    const anchor = anchors.get(name)
    if (anchor === undefined || anchor === 'open') {
      const code = anchor === undefined ? 'unknown-anchor' : 'anchor-loop'
      findings.push(diagnose(code, {}, { span }))
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
        findings.push(diagnose('merge-not-mapping', {}, { span: source.span }))
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
