import { diagnose } from '../../diagnostics/diagnose.ts'
import { type Commented, keepAsComment, keepValue } from './importOption.ts'
import { addHost, type ImportState, report, type Service } from './importState.ts'
import type { IniOption } from './iniFile.ts'
import type { Field } from './iniNames.ts'
import { fieldText } from './iniTopology.ts'
import { publicLine } from './readIni.ts'
import { yamlList, yamlScalar } from './writeYaml.ts'
import { addRemark, type Group, itemAsComment, yamlComment } from './yamlDraft.ts'

const groupOf = ({ section }: Service): Group => ({ kind: 'service', of: section.name })

const isYes = (text: string | undefined): boolean => /^(true|y|yes)$/i.test(text ?? '')

/** Splits a list; removes quotes around the whole list, which the family does not accept. */
const words = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .replace(/^(["'])(.*)\1$/s, '$2')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

function keepField(
  found: ImportState,
  service: Service,
  given: Commented & { name: string; value: string },
): void {
  const { item, above, name, value } = given
  const from = {
    spelling: item.key,
    keySpan: item.keySpan,
    instead: itemAsComment(item, 'given again below'),
  }
  const said = item.comment === undefined ? [] : [yamlComment(item.comment)]
  const kept = { kind: 'kept', name, value: publicLine(value), above: [...above, ...said], from } as const
  keepValue(found, groupOf(service), kept)
}

function remark(found: ImportState, service: Service, given: Commented & { readonly why: string }): void {
  for (const line of [...given.above, itemAsComment(given.item, given.why)]) {
    addRemark(found.sheet, groupOf(service), line)
  }
}

const named = (found: ImportState, service: Service, given: { texts: readonly string[]; item: IniOption }) =>
  given.texts.map((text) => {
    const name = addHost(found, text, given.item.span)
    service.hosts.add(name)
    return name
  })

function keepHosts(
  found: ImportState,
  service: Service,
  given: Commented & { name: string },
): readonly string[] {
  const hosts = named(found, service, { texts: words(given.item.value), item: given.item })
  keepField(found, service, { ...given, value: yamlList(hosts) })
  return hosts
}

/** Imports members like tpm: an active witness is a member. */
function importMembers(found: ImportState, service: Service, given: Commented): void {
  const active = isYes(fieldText(service.fields, 'active-witnesses'))
  const witnesses = new Set(active ? words(fieldText(service.fields, 'witnesses')) : [])
  const texts = words(given.item.value).filter((text) => !witnesses.has(text))
  const value = yamlList(named(found, service, { texts, item: given.item }))
  keepField(found, service, { ...given, name: 'members', value })
}

/** Without members, tpm takes the master and the slaves. */
function importSlaves(found: ImportState, service: Service, given: Commented): void {
  const { fields } = service
  const slaves = words(given.item.value)
  const members = fieldText(fields, 'members')
  if (members === undefined) {
    const texts = [...new Set([...words(fieldText(fields, 'master')), ...slaves])]
    const value = yamlList(named(found, service, { texts, item: given.item }))
    keepField(found, service, { ...given, name: 'members', value })
    return
  }
  const known = new Set(words(members))
  if (slaves.every((slave) => known.has(slave))) remark(found, service, { ...given, why: 'members says it' })
  else
    keepAsComment(found, groupOf(service), { ...given, reason: 'The hosts of the service are in members.' })
}

function importTopology(found: ImportState, service: Service, given: Commented): void {
  const { topology, lost } = service.topology
  const { item, above } = given
  const said = topology === item.value ? [] : [publicLine(`in the INI file: ${item.value}`)]
  keepField(found, service, {
    item,
    above: [...above, ...said],
    name: 'topology',
    value: yamlScalar(topology),
  })
  if (lost === undefined) return
  const facts = { name: `The topology ${item.value}`, reason: lost, nearest: undefined }
  report(found, 'ini-no-counterpart', { facts, span: item.span })
}

function importMaster(found: ImportState, service: Service, given: Commented): void {
  const { item, above } = given
  const [first = '', ...others] = named(found, service, { texts: words(item.value), item })
  const said = others.length === 0 ? [] : [itemAsComment(item, 'the others have no counterpart')]
  keepField(found, service, { item, above: [...above, ...said], name: 'master', value: yamlScalar(first) })
  if (others.length > 0) {
    const reason = 'A service in muster has at most one.'
    const facts = { name: 'More than one master', reason, nearest: undefined }
    report(found, 'ini-no-counterpart', { facts, span: item.span })
  }
  if (service.fields.has('members') || service.fields.has('slaves')) return
  const { comment: _said, ...only } = item
  keepField(found, service, { item: only, above: [], name: 'members', value: yamlList([first, ...others]) })
}

function importWitnesses(found: ImportState, service: Service, given: Commented): void {
  const hosts = keepHosts(found, service, { ...given, name: 'witnesses' })
  if (isYes(fieldText(service.fields, 'active-witnesses'))) return
  report(found, 'ini-passive-witness', { facts: { hosts }, span: given.item.span })
}

/** Returns true if a later line has the same field; the finding is at the last one. */
function isOverridden(
  found: ImportState,
  service: Service,
  given: Commented & { readonly field: Field },
): boolean {
  const { item, field } = given
  const all = service.fields.get(field) ?? []
  const [first] = all
  if (item !== all.at(-1)) {
    remark(found, service, { ...given, why: 'given again below' })
    return true
  }
  if (first === undefined || first === item) return false
  const facts = { name: item.key, other: first.key }
  const related = [{ message: 'The first one is here.', span: first.keySpan }]
  found.findings.push(diagnose('ini-option-twice', facts, { span: item.keySpan, related }))
  return false
}

const fieldImporters: Readonly<
  Record<Field, (found: ImportState, service: Service, given: Commented) => void>
> = {
  topology: importTopology,
  master: importMaster,
  members: importMembers,
  slaves: importSlaves,
  connectors: (found, service, given) => {
    keepHosts(found, service, { ...given, name: 'connectors' })
  },
  witnesses: importWitnesses,
  // Every witness of muster is active, so nothing is lost.
  'active-witnesses': (found, service, given) =>
    remark(found, service, { ...given, why: 'as in every cluster of muster' }),
  // A section with it becomes no service.
  composite: (found, service, given) => keepAsComment(found, groupOf(service), given),
}

/** Imports a field that assigns hosts to a service. */
export function importField(
  found: ImportState,
  service: Service,
  given: Commented & { readonly field: Field },
): void {
  if (given.item.value === '') keepAsComment(found, groupOf(service), given)
  else if (!isOverridden(found, service, given)) fieldImporters[given.field](found, service, given)
}
