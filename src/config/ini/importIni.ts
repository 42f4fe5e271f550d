import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { ordered } from '../../diagnostics/order.ts'
import { shorten } from '../../diagnostics/shorten.ts'
import type { SourceText } from '../../diagnostics/source.ts'
import { linesOf } from '../document/lines.ts'
import { eachOption, keepAsComments, stepsOf, takeCommon, takeReplicatorDefaults } from './importComments.ts'
import { takeField } from './importFields.ts'
import { type Commented, drop, hideOption, keep, takeOption } from './importOption.ts'
import { emptyImport, type Import, mention, type Service, tell } from './importState.ts'
import type { IniFile, IniSection } from './iniFile.ts'
import { clusterFrom, fieldOf, optionOf, serviceFrom } from './iniNames.ts'
import { fieldText } from './iniTopology.ts'
import { commentText, open, readIni, type TextLine } from './readIni.ts'
import { addKept, addRemark, asRemark, type Group, keptOf, shownName } from './sheet.ts'
import { type SortedSections, sortSections } from './sortSections.ts'
import { writeSheet, yamlScalar } from './writeSheet.ts'

const reasons = {
  clustered: 'It has connectors or witnesses, which only a cluster has.',
  replicator:
    'It has neither connectors nor witnesses, and services of the replicator package often leave the topology out.',
} as const

function assumeTopology(found: Import, { section, topology }: Service): void {
  const reason = topology.topology === 'clustered' ? reasons.clustered : reasons.replicator
  const facts = { section: section.name, topology: topology.topology, reason }
  tell(found, 'ini-topology-assumed', { facts, span: section.span })
  const from = { spelling: 'topology', keySpan: section.span, instead: open('assumed') }
  const above = [open('assumed, because the INI file sets none')]
  const group: Group = { kind: 'service', of: section.name }
  keep(found, group, { kind: 'kept', name: 'topology', value: open(topology.topology), above, from })
}

/** Imports the section of a data service. */
function importService(found: Import, service: Service): void {
  const { section, fields } = service
  const group: Group = { kind: 'service', of: section.name }
  const options: Group = { kind: 'service-options', of: section.name }
  if (fieldText(fields, 'topology') === undefined) assumeTopology(found, service)
  eachOption(found, {
    section,
    group,
    take: (given) => {
      const field = fieldOf(given.item.key)
      if (field === undefined) takeOption(found, given, { group: options, rest: group })
      else takeField(found, service, { ...given, field })
    },
  })
  const name = serviceFrom(section.name)
  if (name === section.name || found.names.has(section.name)) return
  const reason = 'Names of services are used in certificates and addresses, which do not allow _.'
  const facts = { what: 'service', from: section.name, to: name, reason }
  tell(found, 'ini-renamed', { facts, span: section.span })
}

function servicesByHost({ services }: Import): ReadonlyMap<string, readonly Service[]> {
  const byHost = new Map<string, Service[]>()
  for (const service of services.values()) {
    for (const host of service.hosts) {
      const all = byHost.get(host) ?? []
      all.push(service)
      byHost.set(host, all)
    }
  }
  return byHost
}

/** Imports the section for one host as that host's options. */
function importHostSection(
  found: Import,
  section: IniSection,
  given: { readonly isDefault: boolean; readonly host: string; readonly services: readonly Service[] },
): void {
  const { isDefault, host, services } = given
  const group: Group = { kind: 'host-options', of: host }
  const givenBy = (name: string): Service | undefined =>
    services.find(({ section: { name: of } }) => {
      const options: Group = { kind: 'service-options', of }
      return keptOf(found.sheet, options, name) !== undefined
    })
  const take = (option: Commented): void => {
    const setting = optionOf(option.item.key)
    const above = isDefault && setting !== undefined ? givenBy(setting.name) : undefined
    if (above === undefined) {
      takeCommon(found, option, group)
      return
    }
    hideOption(found, option.item)
    const reason = `[${above.section.name}] gives it too, and in an INI file a service comes before defaults.`
    drop(found, group, { ...option, reason })
  }
  eachOption(found, { section, group, take })
}

/** An INI file converted to a YAML file of muster. */
type ImportedIni = {
  /** Absent for bytes that are no text. */
  readonly yaml?: readonly TextLine[]
  /** About the INI file, by position. */
  readonly findings: readonly Diagnostic[]
  /** The INI text, with what must not be printed. */
  readonly source: SourceText
}

const head: Group = { kind: 'head' }

function importHead(found: Import, { head: items }: IniFile): void {
  for (const { above, item } of stepsOf(found, items)) {
    for (const line of above) addRemark(found.sheet, head, line)
    if (item === undefined) continue
    if (item.kind === 'option') {
      hideOption(found, item)
      tell(found, 'ini-outside-section', { facts: { name: shownName(item.key) }, span: item.keySpan })
    }
    addRemark(
      found.sheet,
      head,
      asRemark(item, item.kind === 'option' ? 'outside a section' : 'not understood'),
    )
  }
}

/**
 * Imports in the order in which tpm applies sections: defaults, services, single hosts (package_cluster.rb).
 */
function importSections(found: Import, sorted: SortedSections): void {
  const { defaults: section, services, replicatorDefaults, others, hosts } = sorted
  if (section !== undefined) {
    const group: Group = { kind: 'defaults' }
    eachOption(found, { section, group, take: (given) => takeCommon(found, given, group) })
  }
  for (const service of services) importService(found, service)
  for (const { section: other, reason } of others) keepAsComments(found, other, reason)
  if (replicatorDefaults !== undefined) takeReplicatorDefaults(found, replicatorDefaults)
  const byHost = servicesByHost(found)
  for (const { section: own, host: name, isDefault } of hosts) {
    const host = mention(found, name, own.span)
    importHostSection(found, own, { isDefault, host, services: byHost.get(host) ?? [] })
  }
}

function nameCluster(found: Import, cluster: string | undefined): void {
  const group: Group = { kind: 'file' }
  const [first] = found.services.keys()
  const noted = keptOf(found.sheet, group, 'cluster')
  if (cluster === undefined && (noted !== undefined || first === undefined)) return
  const service = first === undefined ? '' : (found.names.get(first) ?? serviceFrom(first))
  const value = open(yamlScalar(cluster ?? clusterFrom(service)))
  const span = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }
  const from = { spelling: 'cluster', keySpan: span, instead: open('') }
  addKept(found.sheet, group, { kind: 'kept', name: 'cluster', value, above: [], from })
}

/**
 * Converts an INI file of the product family to a YAML file with comments. Pure; never throws for its text.
 */
export function importIni(given: {
  /** Name for findings. */
  readonly name: string
  readonly text: string
  /** Name of the cluster; default: that in the file, else its first service. */
  readonly cluster?: string
}): ImportedIni {
  const { name, cluster } = given
  const text = given.text.replace(/^\ufeff/, '')
  const lines = linesOf(name, text)
  const nul = text.indexOf('\0')
  if (nul !== -1) {
    const everything = { ...lines.span(0, text.length), endColumn: Number.MAX_SAFE_INTEGER }
    const findings = [diagnose('nul-character', {}, { span: lines.span(nul, nul + 1) })]
    return { findings, source: { name, text, hidden: [everything] } }
  }
  const ini = readIni(name, text)
  const sorted = sortSections(ini.sections)
  const found = emptyImport(sorted.services)
  const said = `Made from ${name} by muster import. Comments say what has no counterpart.`
  addRemark(found.sheet, head, open(commentText(said)))
  importHead(found, ini)
  importSections(found, sorted)
  nameCluster(found, cluster)
  if (found.services.size === 0) tell(found, 'ini-no-service', { facts: {}, span: lines.span(0, 0) })
  return {
    yaml: writeSheet(found, sorted.places),
    findings: shorten(ordered([...ini.findings, ...found.findings], [name])),
    source: { name, text, hidden: found.hidden },
  }
}
