import type { IniOption, IniSection } from './iniFile.ts'
import { type Field, fieldOf } from './iniNames.ts'

/** Topology of a service in muster; `unsupported` explains what muster does not support. */
export type ServiceTopology = { readonly topology: string; readonly unsupported?: string }

/**
 * Conversion of a topology of the family (continuent's tungsten-replicator, ruby-tpm/configure/topologies).
 */
export type Topology =
  | ({ readonly kind: 'service' } & ServiceTopology)
  | { readonly kind: 'none'; readonly reason: string }

const replicators: ReadonlySet<string> = new Set([
  'master-slave',
  'direct',
  'fan-in',
  'star',
  'all-masters',
  'cluster-slave',
  'replicator',
])

const replicationNotConfigured =
  'muster runs the replicator on the members, but does not configure how they replicate.'

/** Lines of a section by field, in any spelling. */
export type Fields = ReadonlyMap<Field, readonly IniOption[]>

export function fieldsOf(section: IniSection): Fields {
  const fields = new Map<Field, IniOption[]>()
  for (const item of section.items) {
    const field = item.kind === 'option' && item.value !== '' ? fieldOf(item.key) : undefined
    if (item.kind !== 'option' || field === undefined) continue
    const items = fields.get(field) ?? []
    items.push(item)
    fields.set(field, items)
  }
  return fields
}

/** Returns the last value of a field. */
export const fieldText = (fields: Fields, field: Field): string | undefined =>
  fields.get(field)?.at(-1)?.value

/**
 * Converts the topology of a data service. The default depends on the product: clustered for the cluster
 * package, master-slave for the replicator package, whose examples omit it; connectors and witnesses exist in
 * clusters only.
 */
export function topologyFrom(fields: Fields): Topology {
  const written = fieldText(fields, 'topology')
  if (fieldText(fields, 'composite') !== undefined || written?.startsWith('composite') === true) {
    return {
      kind: 'none',
      reason: 'It combines other services into a composite one, which muster does not support.',
    }
  }
  if (written === 'cluster-alias') {
    return { kind: 'none', reason: 'It names a cluster that is installed elsewhere.' }
  }
  if (written === undefined) {
    const clustered = [fieldText(fields, 'connectors'), fieldText(fields, 'witnesses')].some(
      (text) => text !== undefined,
    )
    return { kind: 'service', topology: clustered ? 'clustered' : 'replicator' }
  }
  if (!replicators.has(written)) return { kind: 'service', topology: written }
  const plain = written === 'master-slave' || written === 'replicator'
  return {
    kind: 'service',
    topology: 'replicator',
    ...(plain ? {} : { unsupported: replicationNotConfigured }),
  }
}
