import {
  type Alias,
  Composer,
  type CST,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type Scalar,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { commentsOf, type RawComment } from './document/readIgnores.ts'

/** A value of a YAML text: aliases not resolved, duplicate keys kept. Offsets in UTF-16 units. */
export type RawNode = {
  readonly from: number
  readonly to: number
  /** Such as `!env`; absent for plain values and for YAML's own tags, which are already applied. */
  readonly tag?: string
  readonly anchor?: string
} & (
  | { readonly kind: 'scalar'; readonly value: unknown; readonly source: string; readonly plain: boolean }
  | { readonly kind: 'alias'; readonly name: string }
  | { readonly kind: 'list'; readonly flow: boolean; readonly items: readonly RawNode[] }
  | {
      readonly kind: 'map'
      readonly flow: boolean
      readonly entries: readonly { readonly key: RawNode; readonly value: RawNode }[]
    }
)

export type RawProblem = {
  readonly code: YAMLError['code']
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Parsed YAML text: one root per document. */
type RawText =
  | { readonly tooDeep: { readonly from: number } }
  | {
      readonly tooDeep?: never
      readonly roots: readonly { readonly from: number; readonly node: RawNode | undefined }[]
      readonly problems: readonly RawProblem[]
      /** Computed on call, since few files have comments that are read. */
      readonly comments: () => readonly RawComment[]
    }

const ownTags = /^(!|tag:yaml\.org,2002:(str|int|float|bool|null|map|seq))$/

function commonFields(node: Scalar | YAMLMap | YAMLSeq, fallback: number) {
  const [from, to] = node.range ?? [fallback, fallback]
  const tag = node.tag !== undefined && !ownTags.test(node.tag) ? { tag: node.tag } : {}
  return { from, to, ...tag, ...(node.anchor === undefined ? {} : { anchor: node.anchor }) }
}

const emptyNode = (at: number): RawNode => ({
  kind: 'scalar',
  from: at,
  to: at,
  value: null,
  source: '',
  plain: true,
})

function toRawScalar(node: Scalar, fallback: number): RawNode {
  const plain = node.type === 'PLAIN' || node.type === undefined
  const source = node.source ?? String(node.value ?? '')
  return { kind: 'scalar', ...commonFields(node, fallback), value: node.value, source, plain }
}

/** Converts the tree of `yaml` to plain values; `fallback` is the offset of nodes without text. */
function toRawNode(node: unknown, fallback: number): RawNode {
  if (isAlias(node)) {
    const { source, range } = node as Alias
    return { kind: 'alias', name: source, from: range?.[0] ?? fallback, to: range?.[1] ?? fallback }
  }
  if (isScalar(node)) return toRawScalar(node, fallback)
  if (isSeq(node)) {
    const items = node.items.map((item) => toRawNode(isPair(item) ? item.value : item, fallback))
    return { kind: 'list', ...commonFields(node, fallback), flow: node.flow === true, items }
  }
  if (isMap(node)) {
    const entries = node.items.map((pair) => {
      const key = toRawNode(pair.key, fallback)
      return { key, value: toRawNode(pair.value, key.to) }
    })
    return { kind: 'map', ...commonFields(node, fallback), flow: node.flow === true, entries }
  }
  return emptyNode(fallback)
}

/**
 * Returns the tokens of a text, or the offset where it nests too deep: each open bracket or indentation adds
 * to the parser's stack, so that building them would exhaust memory.
 */
function tokensOf(text: string, depth: number): readonly CST.Token[] | { readonly deep: number } {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    // The stack also has the document and a scalar that is being read.
    if (parser.stack.length > depth + 3) return { deep: parser.offset - lexeme.length }
  }
  return [...tokens, ...parser.end()]
}

/**
 * Returns the offset where the text nests deeper than `limit`. The composer recurses, so this must be checked
 * first.
 */
function tooDeep(tokens: readonly CST.Token[], limit: number): number | undefined {
  const pending = tokens.map((token) => ({ token, depth: 0 }))
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next
    if (depth > limit) return token.offset
    if (token.type === 'document' && token.value !== undefined) pending.push({ token: token.value, depth })
    if (!('items' in token)) continue
    for (const item of token.items) {
      if (item.key) pending.push({ token: item.key, depth: depth + 1 })
      if (item.value) pending.push({ token: item.value, depth: depth + 1 })
    }
  }
  return undefined
}

/** Parses a text as YAML 1.2 (core schema). Never throws for its contents; nests at most `depth` deep. */
export function parseYaml(text: string, depth: number): RawText {
  const tokens = tokensOf(text, depth)
  if ('deep' in tokens) return { tooDeep: { from: tokens.deep } }
  const deep = tooDeep(tokens, depth)
  if (deep !== undefined) return { tooDeep: { from: deep } }
  const composer = new Composer({
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const documents = [...composer.compose(tokens, true, text.length)]
  const roots = documents.map((document) => {
    const from =
      isCollection(document.contents) || isScalar(document.contents)
        ? document.contents.range?.[0]
        : undefined
    const node = document.contents === null ? undefined : toRawNode(document.contents, document.range[0])
    return { from: from ?? document.range[0], node }
  })
  const problems = documents
    .flatMap(({ errors, warnings }) => [
      ...errors,
      // A tag without a meaning in YAML itself is only a warning there; tags are checked with the tree.
      ...warnings.filter((problem) => problem.code !== 'TAG_RESOLVE_FAILED'),
    ])
    .map(({ code, pos: [from, to], message }) => ({ code, from, to, text: message }))
  return { roots, problems, comments: () => commentsOf(tokens) }
}
