import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { looksSecret } from '../document/hideSecrets.ts'
import { allHooks } from '../settings/hooks.ts'
import { allOptions, options } from '../settings/options.ts'
import { allHost, file } from '../settings/places.ts'
import type { Setting } from '../settings/setting.ts'
import { allSsh } from '../settings/ssh.ts'
import {
  type Commented,
  hideOption,
  importOption,
  keepAsComment,
  keepOption,
  keepValue,
} from './importOption.ts'
import { type ImportState, report } from './importState.ts'
import type { IniComment, IniItem, IniOption, IniSection, IniUnread } from './iniFile.ts'
import { fieldOf, optionOf } from './iniNames.ts'
import { isMusterComment, readMusterComment } from './musterComment.ts'
import { commentText, publicLine, secretLine, type TextLine } from './readIni.ts'
import { valueFromComment } from './settingValue.ts'
import { idOf } from './sortSections.ts'
import { addComment, type Group, itemAsComment, valueUnder, yamlComment } from './yamlDraft.ts'

/** Target of a path in a muster comment; `section` and `hosts` are no settings of the YAML file. */
type Target =
  | { readonly kind: 'setting'; readonly group: Group; readonly setting: Setting<unknown> }
  | { readonly kind: 'service-name'; readonly section: string }
  | { readonly kind: 'host-order' }

function settingOf(group: Group, table: readonly Setting<unknown>[], name: string): Target | undefined {
  const setting = table.find((one) => one.name === name)
  return setting === undefined ? undefined : { kind: 'setting', group, setting }
}

function hostTarget(path: string): Target | undefined {
  // The last words are names of our own, so that dots in the name of the host do no harm.
  const [, of = '', place, key = ''] = /^(.+)\.(?:(ssh|options)\.)([a-z-]+)$/.exec(path) ?? []
  if (place === 'ssh') return settingOf({ kind: 'host-ssh', of }, allSsh, key)
  if (place === 'options') return settingOf({ kind: 'host-options', of }, allOptions, key)
  const [, host = '', field = ''] = /^(.+)\.([a-z]+)$/.exec(path) ?? []
  return settingOf({ kind: 'host', of: host }, allHost, field)
}

/** Parses a path of dotted YAML names; services have the names of their sections. */
export function targetOf(path: string): Target | undefined {
  if (path === 'cluster') return { kind: 'setting', group: { kind: 'file' }, setting: file.cluster }
  if (path === 'hosts') return { kind: 'host-order' }
  const [, top, rest = ''] = /^(ssh|hooks|defaults|services|hosts)\.(.+)$/.exec(path) ?? []
  if (top === 'ssh') return settingOf({ kind: 'ssh' }, allSsh, rest)
  if (top === 'hooks') return settingOf({ kind: 'hooks' }, allHooks, rest)
  if (top === 'defaults') return settingOf({ kind: 'defaults' }, allOptions, rest)
  if (top === 'hosts') return hostTarget(rest)
  const [, section = '', key = ''] = /^(\w+)\.(name|options\.[a-z-]+)$/.exec(rest) ?? []
  if (section === '') return undefined
  if (key === 'name') return { kind: 'service-name', section }
  const group: Group = { kind: 'service-options', of: section }
  return settingOf(group, allOptions, key.replace('options.', ''))
}

/** Heading of an export; it has no meaning for the configuration. */
export const exportMark = 'muster export'

/** Applies a muster comment; false if it cannot be parsed. */
function importMusterComment(state: ImportState, comment: IniComment): boolean {
  const read = readMusterComment(comment.text)
  const target = read === undefined ? undefined : targetOf(read.path)
  if (read === undefined || target === undefined) return false
  const { value, path } = read
  if (target.kind === 'host-order') {
    if (value.kind !== 'list' || state.hostOrder.length > 0) return false
    for (const host of value.items) state.hostOrder.push(host)
    return true
  }
  if (target.kind === 'service-name') {
    const { section } = target
    if (value.kind !== 'text' || !state.services.has(section) || state.names.has(section)) return false
    state.names.set(section, value.text)
    return true
  }
  const { group, setting } = target
  if (group.kind === 'service-options' && !state.services.has(group.of)) return false
  const written = valueFromComment(setting, value)
  if (written === undefined) return false
  if (group.kind.startsWith('host') && 'of' in group && !state.hosts.has(group.of)) {
    state.hosts.set(group.of, undefined)
  }
  const replacement = secretLine(`given again below, line ${comment.line}: `, commentText(comment.text))
  const from = { spelling: path, keySpan: comment.span, replacement }
  keepValue(state, group, { kind: 'value', name: setting.name, value: written, above: [], from })
  return true
}

/** Applies a muster comment; returns any other comment for the YAML file. */
function importComment(state: ImportState, comment: IniComment): readonly TextLine[] {
  if (comment.text === '' || comment.text.startsWith(exportMark)) return []
  if (looksSecret(comment.text) || comment.text.includes(options.users.name)) {
    state.hidden.push(comment.span)
  }
  if (!isMusterComment(comment.text)) return [yamlComment(comment.text)]
  if (importMusterComment(state, comment)) return []
  const at: Diagnostic['span'] = comment.span
  state.hidden.push(at)
  report(state, 'ini-muster-comment', { facts: {}, span: at })
  return [secretLine('muster: ', commentText(comment.text.slice('muster:'.length).trimStart()))]
}

/** An option or an unparsed line with the comments above it; the last one may be comments alone. */
type ItemWithComments = { readonly above: readonly TextLine[]; readonly item?: IniOption | IniUnread }

/** Attaches comments to the items below them. */
export function withComments(state: ImportState, items: readonly IniItem[]): readonly ItemWithComments[] {
  const result: ItemWithComments[] = []
  let above: TextLine[] = []
  for (const item of items) {
    if (item.kind === 'comment') {
      above.push(...importComment(state, item))
      continue
    }
    if (item.kind === 'unread') state.hidden.push(item.span)
    result.push({ above, item })
    above = []
  }
  return above.length === 0 ? result : [...result, { above }]
}

/** Passes each option of a section to `onOption`; all other lines become comments in `group`. */
export function eachOption(
  state: ImportState,
  given: {
    readonly section: IniSection
    readonly group: Group
    readonly onOption: (option: Commented) => void
  },
): void {
  const { section, group, onOption } = given
  for (const { above, item } of withComments(state, [...section.lead, ...section.items])) {
    if (item?.kind === 'option') {
      onOption({ item, above })
      continue
    }
    for (const line of above) addComment(state.yaml, group, line)
    if (item !== undefined) addComment(state.yaml, group, itemAsComment(item, 'not valid'))
  }
}

/** Imports options of [defaults], or of a section for one host, which cannot have fields of a service. */
export function importCommonOptions(state: ImportState, given: Commented, group: Group): void {
  if (fieldOf(given.item.key) === undefined) importOption(state, given, { group, rest: group })
  else keepAsComment(state, group, { ...given, reason: 'It is valid only in the section of a service.' })
}

/** Limit of lines from one section. */
const maxCopies = 10_000

/** Keeps a section as comments of the services; `reason` is absent if it already has a finding. */
export function keepAsComments(state: ImportState, section: IniSection, reason?: string): void {
  const { line, name, broken, span } = section
  const group: Group = { kind: 'service', of: idOf(section) }
  // A bracket and a name are no secret; anything else may be a piece of one.
  if (broken && !/^\s*\[[\w.@ -]*\]?\s*$/.test(name)) state.hidden.push(span)
  if (reason !== undefined) {
    report(state, 'ini-section-without-counterpart', { facts: { section: name, reason }, span })
  }
  const start = `no counterpart, line ${line}: `
  addComment(
    state.yaml,
    group,
    broken ? secretLine(start, commentText(name)) : publicLine(`${start}[${name}]`),
  )
  const onOption = ({ item, above }: Commented): void => {
    hideOption(state, item)
    for (const comment of above) addComment(state.yaml, group, comment)
    addComment(state.yaml, group, itemAsComment(item, 'no counterpart'))
  }
  eachOption(state, { section, group, onOption })
}

/**
 * Imports options of [defaults.replicator], which the replicator package reads as defaults and the cluster
 * package ignores (package_cluster.rb): they go to every service of replicators that does not give them
 * itself.
 */
export function importReplicatorDefaults(state: ImportState, section: IniSection): void {
  const replicators = [...state.services.values()]
    .filter(({ topology }) => topology.topology === 'replicator')
    .map((service) => service.section.name)
  // A made-up file could otherwise multiply itself.
  const tooMany = replicators.length * section.items.length > maxCopies
  if (replicators.length === 0 || tooMany) {
    const reason = tooMany
      ? 'It applies to too many services.'
      : 'It is for services of the replicator package, and the file has none.'
    keepAsComments(state, section, reason)
    return
  }
  const rest: Group = { kind: 'service', of: section.name }
  const origin = publicLine(`from [${section.name}]`)
  const onOption = (given: Commented): void => {
    const setting = optionOf(given.item.key)
    if (setting === undefined || given.item.value === '') {
      importCommonOptions(state, given, rest)
      return
    }
    hideOption(state, given.item)
    const groups = replicators
      .map((of): Group => ({ kind: 'service-options', of }))
      .filter((group) => valueUnder(state.yaml, group, setting.name) === undefined)
    for (const group of groups)
      keepOption(state, group, { ...given, above: [...given.above, origin], setting })
    if (groups.length > 0) return
    for (const line of [...given.above, itemAsComment(given.item, 'every service sets its own')]) {
      addComment(state.yaml, rest, line)
    }
  }
  eachOption(state, { section, group: rest, onOption })
}
