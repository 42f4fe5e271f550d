import { type Import, tell } from './import.ts'
import { stepsOf } from './importComments.ts'
import { type Commented, drop, hideOption, keepOption, takeOption } from './importOption.ts'
import type { IniSection } from './iniFile.ts'
import { fieldOf, optionOf } from './names.ts'
import { asRemark } from './remarks.ts'
import { addRemark, type Group, keptOf } from './sheet.ts'
import { idOf } from './sortSections.ts'
import { commentText, open, secretAfter } from './textLine.ts'

/** Hands out the options of a section; everything else of it becomes comments in `group`. */
export function eachOption(
  found: Import,
  given: { readonly section: IniSection; readonly group: Group; readonly take: (option: Commented) => void },
): void {
  const { section, group, take } = given
  for (const { above, item } of stepsOf(found, [...section.lead, ...section.items])) {
    if (item?.kind === 'option') {
      take({ item, above })
      continue
    }
    for (const line of above) addRemark(found.sheet, group, line)
    if (item !== undefined) addRemark(found.sheet, group, asRemark(item, 'not understood'))
  }
}

/** Options of [defaults], or of a section for one host: who belongs to a service is not said there. */
export function takeCommon(found: Import, given: Commented, group: Group): void {
  if (fieldOf(given.item.key) === undefined) takeOption(found, given, { group, rest: group })
  else drop(found, group, { ...given, reason: 'It has a meaning only in the section of a service.' })
}

/** How many lines may come of one section. */
const mostCopies = 10_000

/** Keeps a section as comments where the services stand; `reason` is absent when its finding is made already. */
export function keepAsComments(found: Import, section: IniSection, reason?: string): void {
  const { line, name, broken, span } = section
  const group: Group = { kind: 'service', of: idOf(section) }
  // A bracket and a name are no secret; anything else may be a piece of one.
  if (broken && !/^\s*\[[\w.@ -]*\]?\s*$/.test(name)) found.hidden.push(span)
  if (reason !== undefined) {
    tell(found, 'ini-section-without-counterpart', { facts: { section: name, reason }, span })
  }
  const start = `no counterpart, line ${line}: `
  addRemark(found.sheet, group, broken ? secretAfter(start, commentText(name)) : open(`${start}[${name}]`))
  const take = ({ item, above }: Commented): void => {
    hideOption(found, item)
    for (const comment of above) addRemark(found.sheet, group, comment)
    addRemark(found.sheet, group, asRemark(item, 'no counterpart'))
  }
  eachOption(found, { section, group, take })
}

/**
 * Options of [defaults.replicator], which the replicator package reads as defaults and the cluster package
 * leaves alone (package_cluster.rb): they go to every service of replicators that does not give them itself.
 */
export function takeReplicatorDefaults(found: Import, section: IniSection): void {
  const replicators = [...found.services.values()]
    .filter(({ topology }) => topology.topology === 'replicator')
    .map((service) => service.section.name)
  // A made-up file could otherwise multiply itself.
  const tooMany = replicators.length * section.items.length > mostCopies
  if (replicators.length === 0 || tooMany) {
    const reason = tooMany
      ? 'It would have to be repeated in too many services.'
      : 'It is for services of the replicator package, and there is none here.'
    keepAsComments(found, section, reason)
    return
  }
  const rest: Group = { kind: 'service', of: section.name }
  const said = open(`from [${section.name}]`)
  const take = (given: Commented): void => {
    const setting = optionOf(given.item.key)
    if (setting === undefined || given.item.value === '') {
      takeCommon(found, given, rest)
      return
    }
    hideOption(found, given.item)
    const groups = replicators
      .map((of): Group => ({ kind: 'service-options', of }))
      .filter((group) => keptOf(found.sheet, group, setting.name) === undefined)
    for (const group of groups) keepOption(found, group, { ...given, above: [...given.above, said], setting })
    if (groups.length > 0) return
    for (const line of [...given.above, asRemark(given.item, 'every service gives its own')]) {
      addRemark(found.sheet, rest, line)
    }
  }
  eachOption(found, { section, group: rest, take })
}
