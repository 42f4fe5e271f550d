import { listOf } from '../../base/words.ts'
import { finding } from '../../diagnostics/finding.ts'
import { type Commented, iniNoCounterpart, iniOptionTwice, keepAsComment, keepValue } from './importOption.ts'
import { addHost, type ImportState, type Service } from './importState.ts'
import type { IniOption } from './iniFile.ts'
import type { Field } from './iniNames.ts'
import { fieldText } from './iniTopology.ts'
import { publicLine } from './readIni.ts'
import { yamlList, yamlScalar } from './writeYaml.ts'
import { addComment, type Group, itemAsComment, yamlComment } from './yamlDraft.ts'

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
  state: ImportState,
  service: Service,
  given: Commented & { name: string; value: string },
): void {
  const { item, above, name, value } = given
  const from = {
    spelling: item.key,
    keySpan: item.keySpan,
    replacement: itemAsComment(item, 'given again below'),
  }
  const comments = item.comment === undefined ? [] : [yamlComment(item.comment)]
  const kept = {
    kind: 'value',
    name,
    value: publicLine(value),
    above: [...above, ...comments],
    from,
  } as const
  keepValue(state, groupOf(service), kept)
}

function keepAsPlainComment(
  state: ImportState,
  service: Service,
  given: Commented & { readonly why: string },
): void {
  for (const line of [...given.above, itemAsComment(given.item, given.why)]) {
    addComment(state.yaml, groupOf(service), line)
  }
}

const addHosts = (
  state: ImportState,
  service: Service,
  given: { texts: readonly string[]; item: IniOption },
) =>
  given.texts.map((text) => {
    const name = addHost(state, text, given.item.span)
    service.hosts.add(name)
    return name
  })

function keepHosts(
  state: ImportState,
  service: Service,
  given: Commented & { name: string },
): readonly string[] {
  const hosts = addHosts(state, service, { texts: words(given.item.value), item: given.item })
  keepField(state, service, { ...given, value: yamlList(hosts) })
  return hosts
}

/** Imports members like tpm: an active witness is a member. */
function importMembers(state: ImportState, service: Service, given: Commented): void {
  const active = isYes(fieldText(service.fields, 'active-witnesses'))
  const witnesses = new Set(active ? words(fieldText(service.fields, 'witnesses')) : [])
  const texts = words(given.item.value).filter((text) => !witnesses.has(text))
  const value = yamlList(addHosts(state, service, { texts, item: given.item }))
  keepField(state, service, { ...given, name: 'members', value })
}

/** Without members, tpm takes the master and the slaves. */
function importSlaves(state: ImportState, service: Service, given: Commented): void {
  const { fields } = service
  const slaves = words(given.item.value)
  const members = fieldText(fields, 'members')
  if (members === undefined) {
    const texts = [...new Set([...words(fieldText(fields, 'master')), ...slaves])]
    const value = yamlList(addHosts(state, service, { texts, item: given.item }))
    keepField(state, service, { ...given, name: 'members', value })
    return
  }
  const known = new Set(words(members))
  if (slaves.every((slave) => known.has(slave)))
    keepAsPlainComment(state, service, { ...given, why: 'the same as in members' })
  else
    keepAsComment(state, groupOf(service), { ...given, reason: 'The hosts of the service are in members.' })
}

function importTopology(state: ImportState, service: Service, given: Commented): void {
  const { topology, unsupported } = service.topology
  const { item, above } = given
  const comments = topology === item.value ? [] : [publicLine(`in the INI file: ${item.value}`)]
  keepField(state, service, {
    item,
    above: [...above, ...comments],
    name: 'topology',
    value: yamlScalar(topology),
  })
  if (unsupported === undefined) return
  const facts = { name: `The topology ${item.value}`, reason: unsupported, nearest: undefined }
  state.findings.push(iniNoCounterpart(facts, { span: item.span }))
}

function importMaster(state: ImportState, service: Service, given: Commented): void {
  const { item, above } = given
  const [first = '', ...others] = addHosts(state, service, { texts: words(item.value), item })
  const comments = others.length === 0 ? [] : [itemAsComment(item, 'only the first has a counterpart')]
  keepField(state, service, {
    item,
    above: [...above, ...comments],
    name: 'master',
    value: yamlScalar(first),
  })
  if (others.length > 0) {
    const reason = 'A service in muster has at most one master.'
    const facts = { name: 'More than one master', reason, nearest: undefined }
    state.findings.push(iniNoCounterpart(facts, { span: item.span }))
  }
  if (service.fields.has('members') || service.fields.has('slaves')) return
  const { comment: _said, ...only } = item
  keepField(state, service, { item: only, above: [], name: 'members', value: yamlList([first, ...others]) })
}

const iniPassiveWitness = finding('ini-passive-witness', (facts: { hosts: readonly string[] }) => ({
  message: `${listOf(facts.hosts)} would run a manager.`,
  why: 'Without enable-active-witnesses=true the product family only pings a witness; in muster every witness runs a manager.',
  fix: 'Remove witnesses from the YAML file if this host should run nothing.',
}))

function importWitnesses(state: ImportState, service: Service, given: Commented): void {
  const hosts = keepHosts(state, service, { ...given, name: 'witnesses' })
  if (isYes(fieldText(service.fields, 'active-witnesses'))) return
  state.findings.push(iniPassiveWitness({ hosts }, { span: given.item.span }))
}

/** Returns true if a later line has the same field; the finding is at the last one. */
function isOverridden(
  state: ImportState,
  service: Service,
  given: Commented & { readonly field: Field },
): boolean {
  const { item, field } = given
  const all = service.fields.get(field) ?? []
  const [first] = all
  if (item !== all.at(-1)) {
    keepAsPlainComment(state, service, { ...given, why: 'given again below' })
    return true
  }
  if (first === undefined || first === item) return false
  const facts = { name: item.key, other: first.key }
  const related = [{ message: 'The first one is here.', span: first.keySpan }]
  state.findings.push(iniOptionTwice(facts, { span: item.keySpan, related }))
  return false
}

const fieldImporters: Readonly<
  Record<Field, (state: ImportState, service: Service, given: Commented) => void>
> = {
  topology: importTopology,
  master: importMaster,
  members: importMembers,
  slaves: importSlaves,
  connectors: (state, service, given) => {
    keepHosts(state, service, { ...given, name: 'connectors' })
  },
  witnesses: importWitnesses,
  // Every witness of muster is active, so nothing changes.
  'active-witnesses': (state, service, given) =>
    keepAsPlainComment(state, service, { ...given, why: 'always so in muster' }),
  // A section with it becomes no service.
  composite: (state, service, given) => keepAsComment(state, groupOf(service), given),
}

/** Imports a field that assigns hosts to a service. */
export function importField(
  state: ImportState,
  service: Service,
  given: Commented & { readonly field: Field },
): void {
  if (given.item.value === '') keepAsComment(state, groupOf(service), given)
  else if (!isOverridden(state, service, given)) fieldImporters[given.field](state, service, given)
}
