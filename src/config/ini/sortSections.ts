import type { Service } from './importState.ts'
import type { IniSection } from './iniFile.ts'
import { fieldsOf, topologyFrom } from './iniTopology.ts'

/** The sections of an INI file by purpose. */
export type SortedSections = {
  readonly defaults: IniSection | undefined
  readonly services: readonly Service[]
  /** Defaults that only the replicator package reads. */
  readonly replicatorDefaults: IniSection | undefined
  /** Sections for one host. */
  readonly hosts: readonly {
    readonly section: IniSection
    readonly host: string
    readonly isDefault: boolean
  }[]
  /** Sections that become comments; `reason` is absent if there is already a finding. */
  readonly others: readonly { readonly section: IniSection; readonly reason?: string }[]
  /** All but the defaults and those for one host, in their order, by `idOf`. */
  readonly sectionOrder: readonly string[]
}

/** Identifies a section during the import: by its name, if it has one. */
export const idOf = ({ broken, line, name }: IniSection): string => (broken ? `line ${line}` : name)

/**
 * Splits a name such as [defaults@db2] or [alpha@db2], which tpm reads on that host only (continuent's
 * tungsten-replicator, package_cluster.rb).
 */
function hostSection(name: string): { readonly isDefault: boolean; readonly host: string } | undefined {
  const [, section, host] = /^([A-Za-z0-9_]+)@([A-Za-z0-9_.-]+)$/.exec(name) ?? []
  return host === undefined ? undefined : { isDefault: section === 'defaults', host }
}

type Sorted = {
  -readonly [K in keyof SortedSections]: SortedSections[K] extends readonly (infer T)[]
    ? T[]
    : SortedSections[K]
}

function sortInto(sorted: Sorted, section: IniSection): void {
  const { name, broken } = section
  const host = broken ? undefined : hostSection(name)
  if (host !== undefined) {
    sorted.hosts.push({ section, ...host })
    return
  }
  if (!broken && name === 'defaults') {
    sorted.defaults = section
    return
  }
  sorted.sectionOrder.push(idOf(section))
  if (broken) sorted.others.push({ section })
  else if (name === 'defaults.replicator') sorted.replicatorDefaults = section
  else if (name.startsWith('defaults.')) {
    sorted.others.push({ section, reason: 'Only [defaults] and [defaults.replicator] are supported.' })
  } else {
    const fields = fieldsOf(section)
    const topology = topologyFrom(fields)
    if (topology.kind === 'none') sorted.others.push({ section, reason: topology.reason })
    else sorted.services.push({ section, fields, topology, hosts: new Set() })
  }
}

/** Sorts the sections by purpose. */
export function sortSections(sections: readonly IniSection[]): SortedSections {
  const sorted: Sorted = {
    defaults: undefined,
    services: [],
    replicatorDefaults: undefined,
    hosts: [],
    others: [],
    sectionOrder: [],
  }
  for (const section of sections) sortInto(sorted, section)
  return sorted
}
