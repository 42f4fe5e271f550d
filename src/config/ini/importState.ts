import type { Code, Facts } from '../../diagnostics/catalogue.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import type { IniSection } from './iniFile.ts'
import { hostFrom } from './iniNames.ts'
import type { Fields, ServiceTopology } from './iniTopology.ts'
import type { Sheet } from './sheet.ts'

/** A data service, with the section that is for it. */
export type Service = {
  readonly section: IniSection
  readonly fields: Fields
  readonly topology: ServiceTopology
  /** The hosts it names, by their names in the YAML file; filled while it is read. */
  readonly hosts: Set<string>
}

/** What an import collects. */
export type Import = {
  readonly sheet: Sheet
  readonly findings: Diagnostic[]
  /** What must not be shown of the INI file. */
  readonly hidden: Span[]
  /** By the names of their sections. */
  readonly services: ReadonlyMap<string, Service>
  /** Names that comments for muster give to services, by section. */
  readonly names: Map<string, string>
  /** Hosts in the order in which they are named, with the address that an INI name was. */
  readonly hosts: Map<string, string | undefined>
  /** The order of hosts that a comment for muster gives. */
  readonly hostOrder: string[]
}

export const emptyImport = (services: readonly Service[]): Import => ({
  sheet: new Map(),
  findings: [],
  hidden: [],
  services: new Map(services.map((service) => [service.section.name, service] as const)),
  names: new Map(),
  hosts: new Map(),
  hostOrder: [],
})

/** Adds a finding. */
export function tell<C extends Code>(found: Import, code: C, at: { facts: Facts<C>; span: Span }): void {
  found.findings.push(diagnose(code, at.facts, { span: at.span }))
}

/** Notes a host that the INI file names, and returns its name in the YAML file. */
export function mention(found: Import, text: string, span: Span): string {
  const { name, address } = hostFrom(text)
  if (address !== undefined && !found.hosts.has(name)) {
    const reason = 'Hosts have a name there, with the address below it.'
    tell(found, 'ini-renamed', { facts: { what: 'host', from: text, to: name, reason }, span })
  }
  if (!found.hosts.has(name)) found.hosts.set(name, address)
  return name
}
