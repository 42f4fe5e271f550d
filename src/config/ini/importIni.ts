import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { limitFindings } from '../../diagnostics/limitFindings.ts'
import { sortFindings } from '../../diagnostics/sortFindings.ts'
import type { SourceText } from '../../diagnostics/source.ts'
import { linesOf } from '../document/lines.ts'
import { nulFinding } from '../document/readDocument.ts'
import {
  eachOption,
  importCommonOptions,
  importReplicatorDefaults,
  keepAsComments,
  withComments,
} from './importComments.ts'
import { importField } from './importFields.ts'
import { type Commented, hideOption, importOption, keepAsComment, keepValue } from './importOption.ts'
import { addHost, emptyImportState, type ImportState, iniRenamed, type Service } from './importState.ts'
import type { IniFile, IniSection } from './iniFile.ts'
import { clusterFrom, fieldOf, optionOf, serviceFrom } from './iniNames.ts'
import { fieldText } from './iniTopology.ts'
import { commentText, keptAsComment, publicLine, readIni, type TextLine } from './readIni.ts'
import { type SortedSections, sortSections } from './sortSections.ts'
import { writeYaml, yamlScalar } from './writeYaml.ts'
import { addComment, addValue, type Group, itemAsComment, shownName, valueUnder } from './yamlDraft.ts'

const reasons = {
  clustered: 'It has connectors or witnesses, which only a cluster has.',
  replicator:
    'It has neither connectors nor witnesses, and services of the replicator package often leave the topology out.',
} as const

const iniTopologyAssumed = finding(
  'ini-topology-assumed',
  (facts: { section: string; topology: string; reason: string }) => ({
    message: `The section [${facts.section}] sets no topology; ${facts.topology} is assumed.`,
    why: facts.reason,
    fix: 'Correct the topology in the YAML file if it is wrong.',
  }),
)

function assumeTopology(state: ImportState, { section, topology }: Service): void {
  const reason = topology.topology === 'clustered' ? reasons.clustered : reasons.replicator
  const facts = { section: section.name, topology: topology.topology, reason }
  state.findings.push(iniTopologyAssumed(facts, { span: section.span }))
  const from = { spelling: 'topology', keySpan: section.span, replacement: publicLine('assumed') }
  const above = [publicLine('assumed: the INI file sets none')]
  const group: Group = { kind: 'service', of: section.name }
  keepValue(state, group, {
    kind: 'value',
    name: 'topology',
    value: publicLine(topology.topology),
    above,
    from,
  })
}

/** Imports the section of a data service. */
function importService(state: ImportState, service: Service): void {
  const { section, fields } = service
  const group: Group = { kind: 'service', of: section.name }
  const options: Group = { kind: 'service-options', of: section.name }
  if (fieldText(fields, 'topology') === undefined) assumeTopology(state, service)
  eachOption(state, {
    section,
    group,
    onOption: (given) => {
      const field = fieldOf(given.item.key)
      if (field === undefined) importOption(state, given, { group: options, rest: group })
      else importField(state, service, { ...given, field })
    },
  })
  const name = serviceFrom(section.name)
  if (name === section.name) return
  const reason = 'Certificates and addresses contain the names of services and do not allow _.'
  const facts = { what: 'service', from: section.name, to: name, reason }
  state.findings.push(iniRenamed(facts, { span: section.span }))
}

function servicesByHost({ services }: ImportState): ReadonlyMap<string, readonly Service[]> {
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
  state: ImportState,
  section: IniSection,
  given: { readonly isDefault: boolean; readonly host: string; readonly services: readonly Service[] },
): void {
  const { isDefault, host, services } = given
  const group: Group = { kind: 'host-options', of: host }
  const givenBy = (name: string): Service | undefined =>
    services.find(({ section: { name: of } }) => {
      const options: Group = { kind: 'service-options', of }
      return valueUnder(state.yaml, options, name) !== undefined
    })
  const onOption = (option: Commented): void => {
    const setting = optionOf(option.item.key)
    const above = isDefault && setting !== undefined ? givenBy(setting.name) : undefined
    if (above === undefined) {
      importCommonOptions(state, option, group)
      return
    }
    hideOption(state, option.item)
    const reason = `[${above.section.name}] sets it too, and in an INI file a service overrides defaults.`
    keepAsComment(state, group, { ...option, reason })
  }
  eachOption(state, { section, group, onOption })
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

const iniOutsideSection = finding('ini-outside-section', (facts: { name: string }) => ({
  message: `${facts.name} is before the first section.`,
  why: `It is not clear whether it applies to all services or to one. ${keptAsComment}`,
  fix: 'If it applies to all services, put [defaults] on a line above it.',
}))

function importHead(state: ImportState, { head: items }: IniFile): void {
  for (const { above, item } of withComments(state, items)) {
    for (const line of above) addComment(state.yaml, head, line)
    if (item === undefined) continue
    if (item.kind === 'option') {
      hideOption(state, item)
      state.findings.push(iniOutsideSection({ name: shownName(item.key) }, { span: item.keySpan }))
    }
    addComment(
      state.yaml,
      head,
      itemAsComment(item, item.kind === 'option' ? 'outside a section' : 'not valid'),
    )
  }
}

/**
 * Imports in the order in which tpm applies sections: defaults, services, single hosts (package_cluster.rb).
 */
function importSections(state: ImportState, sorted: SortedSections): void {
  const { defaults: section, services, replicatorDefaults, others, hosts } = sorted
  if (section !== undefined) {
    const group: Group = { kind: 'defaults' }
    eachOption(state, { section, group, onOption: (given) => importCommonOptions(state, given, group) })
  }
  for (const service of services) importService(state, service)
  for (const { section: other, reason } of others) keepAsComments(state, other, reason)
  if (replicatorDefaults !== undefined) importReplicatorDefaults(state, replicatorDefaults)
  const byHost = servicesByHost(state)
  for (const { section: own, host: name, isDefault } of hosts) {
    const host = addHost(state, name, own.span)
    importHostSection(state, own, { isDefault, host, services: byHost.get(host) ?? [] })
  }
}

function nameCluster(state: ImportState, cluster: string | undefined): void {
  const group: Group = { kind: 'file' }
  const [first] = state.services.keys()
  const name = cluster ?? (first === undefined ? undefined : clusterFrom(serviceFrom(first)))
  if (name === undefined) return
  const value = publicLine(yamlScalar(name))
  const span = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }
  const from = { spelling: 'cluster', keySpan: span, replacement: publicLine('') }
  addValue(state.yaml, group, { kind: 'value', name: 'cluster', value, above: [], from })
}

const iniNoService = finding('ini-no-service', () => ({
  message: 'The file describes no data service.',
  why: 'Without a section for a service, the hosts are unknown.',
  fix: 'Check that this is the right file: a service has a section such as [alpha], with members and a topology.',
}))

/**
 * Converts an INI file of the product family to a YAML file with comments. Pure; never throws for its text.
 */
export function importIni(given: {
  /** Name for findings. */
  readonly name: string
  readonly text: string
  /** Name of the cluster; default: that of its first service. */
  readonly cluster?: string
}): ImportedIni {
  const { name, cluster } = given
  const text = given.text.replace(/^\ufeff/, '')
  const lines = linesOf(name, text)
  const nul = nulFinding(text, lines)
  if (nul !== undefined) {
    const everything = { ...lines.span(0, text.length), endColumn: Number.MAX_SAFE_INTEGER }
    return { findings: [nul], source: { name, text, hidden: [everything] } }
  }
  const ini = readIni(name, text)
  const sorted = sortSections(ini.sections)
  const state = emptyImportState(sorted.services)
  const heading = `Created from ${name} by muster import. Comments contain what has no counterpart.`
  addComment(state.yaml, head, publicLine(commentText(heading)))
  importHead(state, ini)
  importSections(state, sorted)
  nameCluster(state, cluster)
  if (state.services.size === 0) state.findings.push(iniNoService({}, { span: lines.span(0, 0) }))
  return {
    yaml: writeYaml(state, sorted.sectionOrder),
    findings: limitFindings(sortFindings([...ini.findings, ...state.findings], [name])),
    source: { name, text, hidden: state.hidden },
  }
}
