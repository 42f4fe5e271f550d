import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { IniSection } from './iniFile.ts'
import { hostFrom } from './iniNames.ts'
import type { Fields, ServiceTopology } from './iniTopology.ts'
import type { YamlDraft } from './yamlDraft.ts'

/** A data service with its section. */
export type Service = {
  readonly section: IniSection
  readonly fields: Fields
  readonly topology: ServiceTopology
  /** Its hosts, by their names in the YAML file; filled during the import. */
  readonly hosts: Set<string>
}

/** State of an import. */
export type ImportState = {
  readonly yaml: YamlDraft
  readonly findings: Diagnostic[]
  /** Parts of the INI file that must not be printed. */
  readonly hidden: Span[]
  /** By section name. */
  readonly services: ReadonlyMap<string, Service>
  /** Hosts in the order of their first mention, with the address if the INI name was one. */
  readonly hosts: Map<string, string | undefined>
}

export const emptyImportState = (services: readonly Service[]): ImportState => ({
  yaml: new Map(),
  findings: [],
  hidden: [],
  services: new Map(services.map((service) => [service.section.name, service] as const)),
  hosts: new Map(),
})

export const iniRenamed = finding(
  'ini-renamed',
  (facts: { what: string; from: string; to: string; reason: string }) => ({
    message: `The ${facts.what} ${facts.from} is called ${facts.to} in the YAML file.`,
    why: facts.reason,
    fix: 'Do nothing, or choose another name in the YAML file.',
  }),
)

/** Adds a host of the INI file, and returns its name in the YAML file. */
export function addHost(state: ImportState, text: string, span: Span): string {
  const { name, address } = hostFrom(text)
  if (address !== undefined && !state.hosts.has(name)) {
    const reason = 'In the YAML file a host has a name, and the address below it.'
    state.findings.push(iniRenamed({ what: 'host', from: text, to: name, reason }, { span }))
  }
  if (!state.hosts.has(name)) state.hosts.set(name, address)
  return name
}
