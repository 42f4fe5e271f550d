import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { ordered } from '../../diagnostics/order.ts'
import { shorten } from '../../diagnostics/shorten.ts'
import type { SourceText } from '../../diagnostics/source.ts'
import { linesOf } from '../document/lines.ts'
import { emptyImport, type Import, mention, tell } from './import.ts'
import { stepsOf } from './importComments.ts'
import { importHostSection, servicesByHost } from './importHosts.ts'
import { hideOption } from './importOption.ts'
import { eachOption, keepAsComments, takeCommon, takeReplicatorDefaults } from './importSections.ts'
import { importService } from './importService.ts'
import type { IniFile } from './iniFile.ts'
import { readIni } from './readIni.ts'
import { asRemark, shownName } from './remarks.ts'
import { clusterFrom, serviceFrom } from './serviceNames.ts'
import { addKept, addRemark, type Group, keptOf } from './sheet.ts'
import { type SortedSections, sortSections } from './sortSections.ts'
import { commentText, open, type TextLine } from './textLine.ts'
import { writeSheet } from './writeSheet.ts'
import { yamlScalar } from './yamlScalar.ts'

/** An INI file as the YAML file that muster reads. */
export type ImportedIni = {
  /** Absent when the text is no text. */
  readonly yaml?: readonly TextLine[]
  /** About the INI file, by position. */
  readonly findings: readonly Diagnostic[]
  /** The INI text with what must not be shown of it. */
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

/** In the order in which tpm applies them: defaults, services, what is for one host (package_cluster.rb). */
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

/** Turns an INI file of the product family into a YAML file with comments. Pure, and never throws for its text. */
export function importIni(given: {
  /** As findings name it. */
  readonly name: string
  readonly text: string
  /** The name of the cluster; absent: what the file says, else its first service. */
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
