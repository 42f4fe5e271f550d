import type { Setting } from '../settings/setting.ts'
import type { RawNode } from '../yaml.ts'
import { below, type Context } from './context.ts'
import { isOurs } from './keys.ts'

type Reference = '!env' | '!file' | '!exec'

/** One scalar or alias of a file and what it is there for. */
export type Token = {
  readonly node: Extract<RawNode, { readonly kind: 'scalar' | 'alias' }>
  readonly context: Context
  /** Whether it is a name before a colon; its context is then that of the group it stands in. */
  readonly isKey: boolean
  /** Whether it is the name of a single value and surely a name; only for keys. */
  readonly single?: boolean
  /** The setting that it also is a value of, where an alias has made it a secret. */
  readonly shared?: Setting<unknown> | undefined
  /** The tag that says where a secret is read, for a value and for the words of a command. */
  readonly reference?: Reference | undefined
}

type State = { readonly context: Context; readonly reference?: Reference | undefined }

const isReference = (tag: string | undefined): tag is Reference =>
  tag === '!env' || tag === '!file' || tag === '!exec'

const isMergeKey = (node: RawNode): boolean => node.kind === 'scalar' && node.plain && node.source === '<<'

const unknown: Context = { at: 'unknown' }

/** A value and every name that aliases put it behind: as a secret's it is secret, and it means what any of them does. */
function contextOf(node: RawNode, own: Context, uses: ReadonlyMap<string, Context>): Context {
  const use = node.anchor === undefined ? undefined : uses.get(node.anchor)
  if (use === undefined) return own
  const isSecret = use.at === 'secret' && node.kind === 'scalar'
  return isSecret || (own.at === 'unknown' && use.at !== 'secret') ? use : own
}

/** Every scalar and alias of a tree in the order of the text. `uses` says what aliases use anchored values as. */
export function walk(root: RawNode, context: Context, uses: ReadonlyMap<string, Context>): readonly Token[] {
  const tokens: Token[] = []

  const key = (node: RawNode, at: Context, single: boolean): void => {
    if (node.kind === 'scalar' || node.kind === 'alias') {
      tokens.push({ node, context: at, isKey: true, single })
    } else visit(node, { context: unknown })
  }

  const visit = (node: RawNode, state: State): void => {
    if (node.kind === 'alias') {
      tokens.push({ node, context: state.context, isKey: false })
      return
    }
    const here: State = {
      context: contextOf(node, state.context, uses),
      reference: isReference(node.tag) ? node.tag : undefined,
    }
    if (node.kind === 'scalar') {
      const isBoth = here.context.at === 'secret' && state.context.at === 'value'
      const shared = isBoth ? state.context.setting : undefined
      tokens.push({ node, ...here, shared, reference: here.reference ?? state.reference, isKey: false })
      return
    }
    const within = here.context
    if (node.kind === 'list') {
      for (const item of node.items) visit(item, here)
      return
    }
    let strange = 0
    for (const entry of node.entries) {
      const name = entry.key.kind === 'scalar' ? entry.key.source : ''
      if (!isOurs(name)) strange += 1
      // In a map in braces an unquoted comma makes names of the rest of a value.
      const isLoose = node.flow && strange > 1
      key(entry.key, within, !isLoose && (entry.value.kind === 'scalar' || entry.value.kind === 'alias'))
      // A value is no group: what stands in one there has no meaning.
      const inner: Context = within.at === 'value' ? unknown : within
      const next = isMergeKey(entry.key) ? inner : below(inner, name)
      visit(entry.value, { context: next })
    }
  }

  visit(root, { context })
  return tokens
}

/** What aliases use anchored values as, by the names of the anchors: as a secret if any of them does, else as the first. */
export function usesOf(root: RawNode, context: Context): ReadonlyMap<string, Context> {
  const uses = new Map<string, Context>()
  for (const { node, context: use, isKey } of walk(root, context, uses)) {
    if (node.kind !== 'alias' || isKey || use.at === 'unknown') continue
    if (use.at === 'secret' || !uses.has(node.name)) uses.set(node.name, use)
  }
  return uses
}
