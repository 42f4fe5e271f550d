import { finding } from '../../diagnostics/finding.ts'
import { looksSecret } from '../document/hideSecrets.ts'
import { options } from '../settings/options.ts'
import { type Commented, hideOption, importOption, keepAsComment, keepOption } from './importOption.ts'
import type { ImportState } from './importState.ts'
import type { IniComment, IniItem, IniOption, IniSection, IniUnread } from './iniFile.ts'
import { fieldOf, optionOf } from './iniNames.ts'
import { commentText, publicLine, secretLine, type TextLine } from './readIni.ts'
import { idOf } from './sortSections.ts'
import { addComment, type Group, itemAsComment, valueUnder, yamlComment } from './yamlDraft.ts'

/** Returns a comment for the YAML file; none for an empty one. */
function importComment(state: ImportState, { text, span }: IniComment): readonly TextLine[] {
  if (text === '') return []
  if (looksSecret(text) || text.includes(options.users.name)) state.hidden.push(span)
  return [yamlComment(text)]
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

const iniSectionWithoutCounterpart = finding(
  'ini-section-without-counterpart',
  (facts: { section: string; reason: string }) => ({
    message: `The section [${facts.section}] has no counterpart in muster.`,
    why: `${facts.reason} All of it is kept as comments in the YAML file.`,
    fix: 'Check that you do not need it.',
  }),
)

/** Keeps a section as comments of the services; `reason` is absent if it already has a finding. */
export function keepAsComments(state: ImportState, section: IniSection, reason?: string): void {
  const { line, name, broken, span } = section
  const group: Group = { kind: 'service', of: idOf(section) }
  // A bracket and a name are no secret; anything else may be a piece of one.
  if (broken && !/^\s*\[[\w.@ -]*\]?\s*$/.test(name)) state.hidden.push(span)
  if (reason !== undefined) {
    state.findings.push(iniSectionWithoutCounterpart({ section: name, reason }, { span }))
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
