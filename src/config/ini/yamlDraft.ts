import type { Span } from '../../diagnostics/diagnostic.ts'
import { redacted } from '../../diagnostics/source.ts'
import { looksSecret } from '../document/hideSecrets.ts'
import type { IniItem, IniOption } from './iniFile.ts'
import { isPlainName, optionOf } from './iniNames.ts'
import { commentText, publicLine, secretLine, type TextLine } from './readIni.ts'

/** Returns true if an option may hold a secret, known or not. */
export const mayBeSecret = ({ key, value }: IniOption): boolean =>
  optionOf(key)?.secret === true || !isPlainName(key) || looksSecret(key) || looksSecret(value)

/** Converts a comment for the YAML file. */
export function yamlComment(text: string): TextLine {
  const safe = commentText(text)
  return looksSecret(text) ? { text: safe, shown: redacted } : publicLine(safe)
}

/** Turns an option or an unparsed line into a comment with its place and the reason. */
export function itemAsComment(item: IniItem, why: string): TextLine {
  const start = `${why}, line ${item.line}: `
  if (item.kind === 'comment') return yamlComment(item.text)
  if (item.kind === 'unread') return secretLine(start, commentText(item.text))
  const { key, value, comment } = item
  const rest = `${value}${item.backslash ? ' \\' : ''}${comment === undefined ? '' : ` # ${comment}`}`
  if (!isPlainName(key)) return secretLine(start, commentText(`${key} = ${rest}`))
  const named = `${start}${key} = `
  return mayBeSecret(item) ? secretLine(named, commentText(rest)) : publicLine(named + commentText(rest))
}

/** Names an option for findings: as written, unless that may be a piece of a secret. */
export const shownName = (key: string): string => (isPlainName(key) ? key : redacted)

/** A group of the YAML file; `id` is its owner. */
export type Group =
  | { readonly kind: 'head' | 'file' | 'defaults' }
  | {
      readonly kind: 'service' | 'service-options' | 'host-options'
      readonly of: string
    }

/** A name with its value for the YAML file. */
export type YamlValue = {
  readonly kind: 'value'
  readonly name: string
  readonly value: TextLine
  /** Comments above it, without their sign. */
  readonly above: readonly TextLine[]
  readonly from: {
    /** Spelling in the INI file. */
    readonly spelling: string
    readonly keySpan: Span
    /** The comment that replaces it if a later one counts. */
    readonly replacement: TextLine
  }
}

/** Comment lines, without their sign. */
export type CommentBlock = { readonly kind: 'comment'; readonly lines: readonly TextLine[] }

type Entries = { readonly items: (YamlValue | CommentBlock)[]; readonly at: Map<string, number> }

/** Contents of the YAML file by group, during the import. */
export type YamlDraft = Map<string, Entries>

const idOf = (group: Group): string => ('of' in group ? `${group.kind} ${group.of}` : group.kind)

function entriesOf(yaml: YamlDraft, group: Group): Entries {
  const id = idOf(group)
  const entries = yaml.get(id) ?? { items: [], at: new Map<string, number>() }
  yaml.set(id, entries)
  return entries
}

/** Returns everything of a group in its order. */
export const itemsOf = (yaml: YamlDraft, group: Group): readonly (YamlValue | CommentBlock)[] =>
  yaml.get(idOf(group))?.items ?? []

/** Returns the value of a group under a name. */
export function valueUnder(yaml: YamlDraft, group: Group, name: string): YamlValue | undefined {
  const entries = yaml.get(idOf(group))
  const item = entries?.items[entries.at.get(name) ?? -1]
  return item?.kind === 'value' ? item : undefined
}

/** Adds a comment line, without its sign. */
export function addComment(yaml: YamlDraft, group: Group, line: TextLine): void {
  entriesOf(yaml, group).items.push({ kind: 'comment', lines: [line] })
}

/** Adds a value; an earlier one of the same name becomes a comment and is returned. */
export function addValue(yaml: YamlDraft, group: Group, kept: YamlValue): YamlValue | undefined {
  const entries = entriesOf(yaml, group)
  const earlier = valueUnder(yaml, group, kept.name)
  if (earlier !== undefined) {
    const lines = [...earlier.above, earlier.from.replacement]
    entries.items[entries.at.get(kept.name) ?? 0] = { kind: 'comment', lines }
  }
  entries.at.set(kept.name, entries.items.length)
  entries.items.push(kept)
  return earlier
}
