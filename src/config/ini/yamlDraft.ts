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
  | { readonly kind: 'head' | 'file' | 'ssh' | 'defaults' }
  | {
      readonly kind: 'service' | 'service-options' | 'host' | 'host-ssh' | 'host-options'
      readonly of: string
    }

/** A name with its value for the YAML file. */
export type KeptValue = {
  readonly kind: 'kept'
  readonly name: string
  readonly value: TextLine
  /** Comments above it, without their sign. */
  readonly above: readonly TextLine[]
  readonly from: {
    /** Spelling in the INI file. */
    readonly spelling: string
    readonly keySpan: Span
    /** The comment that replaces it if a later one counts. */
    readonly instead: TextLine
  }
}

/** Comment lines, without their sign. */
export type Remark = { readonly kind: 'remark'; readonly lines: readonly TextLine[] }

type Entries = { readonly items: (KeptValue | Remark)[]; readonly at: Map<string, number> }

/** Contents of the YAML file by group, during the import. */
export type YamlDraft = Map<string, Entries>

const idOf = (group: Group): string => ('of' in group ? `${group.kind} ${group.of}` : group.kind)

function entriesOf(sheet: YamlDraft, group: Group): Entries {
  const id = idOf(group)
  const entries = sheet.get(id) ?? { items: [], at: new Map<string, number>() }
  sheet.set(id, entries)
  return entries
}

/** Returns everything of a group in its order. */
export const itemsOf = (sheet: YamlDraft, group: Group): readonly (KeptValue | Remark)[] =>
  sheet.get(idOf(group))?.items ?? []

/** Returns the value of a group under a name. */
export function valueUnder(sheet: YamlDraft, group: Group, name: string): KeptValue | undefined {
  const entries = sheet.get(idOf(group))
  const item = entries?.items[entries.at.get(name) ?? -1]
  return item?.kind === 'kept' ? item : undefined
}

/** Adds a comment line, without its sign. */
export function addRemark(sheet: YamlDraft, group: Group, line: TextLine): void {
  entriesOf(sheet, group).items.push({ kind: 'remark', lines: [line] })
}

/** Adds a value; an earlier one of the same name becomes a comment and is returned. */
export function addValue(sheet: YamlDraft, group: Group, kept: KeptValue): KeptValue | undefined {
  const entries = entriesOf(sheet, group)
  const earlier = valueUnder(sheet, group, kept.name)
  if (earlier !== undefined) {
    const lines = [...earlier.above, earlier.from.instead]
    entries.items[entries.at.get(kept.name) ?? 0] = { kind: 'remark', lines }
  }
  entries.at.set(kept.name, entries.items.length)
  entries.items.push(kept)
  return earlier
}
