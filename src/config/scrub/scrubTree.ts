import type { Span } from '../../diagnostics/diagnostic.ts'
import { linesOf } from '../document/lines.ts'
import type { Paths } from '../paths.ts'
import type { RawText } from '../yaml.ts'
import { type Context, fileContext } from './context.ts'
import { scrubGap } from './gap.ts'
import { type MistakeIn, mistakesOf } from './mistakes.ts'
import { privateNames } from './privateNames.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { firstBehind, rangesOf } from './ranges.ts'
import { scalarSource } from './scalarSource.ts'
import { type TokenFacts, tokenValue } from './tokenText.ts'
import { type Token, usesOf, walk } from './walk.ts'

/** A text that YAML understands, and what is known of it. */
export type ReadableText = {
  readonly text: string
  readonly parsed: Extract<RawText, { readonly tooDeep?: never }>
  /** What may be pieces of a secret. */
  readonly hidden: readonly Span[]
  /** Whether a secret that is easy to guess starts at this place. */
  readonly isWeak: (place: { readonly line: number; readonly column: number }) => boolean
}

function tokensOf({ parsed }: ReadableText): readonly Token[] {
  return parsed.roots.flatMap(({ node }) => {
    if (node === undefined) return []
    const context: Context = node.kind === 'map' ? fileContext : { at: 'unknown' }
    return walk(node, context, usesOf(node, context))
  })
}

function factsOf(
  readable: ReadableText,
  tokens: readonly Token[],
  world: { readonly names: Pseudonyms; readonly paths: Paths },
): TokenFacts {
  const { text, hidden, isWeak } = readable
  const lines = linesOf('', text)
  const ranges = rangesOf(text, hidden)
  const placeOf = (offset: number) => lines.span(offset, offset)
  // A finding about an alias is one about the value that it stands for.
  const weakAnchors = new Set(
    tokens.flatMap(({ node }) => (node.kind === 'alias' && isWeak(placeOf(node.from)) ? [node.name] : [])),
  )
  return {
    ...world,
    isHidden: (offset) => (ranges[firstBehind(ranges, offset)]?.from ?? text.length) <= offset,
    isPrivate: privateNames(tokens),
    strengthOf: ({ node }) => {
      const shared = node.kind === 'scalar' && node.anchor !== undefined && weakAnchors.has(node.anchor)
      return shared || isWeak(placeOf(node.from)) ? 'weak' : 'good'
    },
  }
}

function tokenSource(
  token: Token,
  readable: ReadableText,
  facts: TokenFacts & { readonly mistakeIn: MistakeIn },
): string {
  const { node, isKey } = token
  const { text } = readable
  if (node.kind === 'alias') return `*anchor${facts.names.number('anchor', node.name)}`
  const source = text.slice(node.from, node.to)
  const value = tokenValue({ ...token, node }, facts)
  // A block has a comment of its own in its first line, so it is always written anew.
  if (value === (isKey ? node.source : node.value) && !/[\n|>]/.test(source)) return source
  return scalarSource(source, value, facts.mistakeIn(node.from, node.to))
}

/** Replaces what a text tells of its owner, value by value; everything stays on its line. */
export function scrubTree(
  readable: ReadableText,
  world: { readonly names: Pseudonyms; readonly paths: Paths },
): string {
  const { text, parsed } = readable
  const { names } = world
  const tokens = tokensOf(readable)
  const facts = { ...factsOf(readable, tokens, world), mistakeIn: mistakesOf(parsed.problems) }
  const written = tokens.filter(({ node }) => node.to > node.from).sort((a, b) => a.node.from - b.node.from)
  const gap = (from: number, to: number): string =>
    scrubGap(text.slice(from, to), () => text.slice(text.lastIndexOf('\n', from - 1) + 1, from), names)
  const out: string[] = []
  let at = 0
  for (const token of written) {
    out.push(gap(at, token.node.from), tokenSource(token, readable, facts))
    at = token.node.to
  }
  return [...out, gap(at, text.length)].join('')
}
