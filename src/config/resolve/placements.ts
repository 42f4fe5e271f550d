import { type Component, components } from '../../contracts/component.ts'
import type { Span } from '../../diagnostics/diagnostic.ts'
import { service as fields } from '../settings/places.ts'
import { type Draft, type ServiceDraft, valueFor } from '../shape/draft.ts'

/** A host in a list of a service. */
export type Mention = {
  readonly host: string
  readonly span: Span
  readonly field: 'members' | 'connectors' | 'witnesses'
  readonly service: ServiceDraft
}

const lists = ['members', 'connectors', 'witnesses'] as const

/** Lists the hosts that a service names, in the order of its lists. */
export function mentionsOf(service: ServiceDraft): readonly Mention[] {
  return lists.flatMap((field) =>
    (valueFor(service.fields, fields[field]) ?? []).map(({ value, span }) => ({
      host: value,
      span,
      field,
      service,
    })),
  )
}

/** Returns true if this list of the service names the host. */
export const isNamedIn = (service: ServiceDraft, field: Mention['field'], host: string): boolean =>
  (valueFor(service.fields, fields[field]) ?? []).some(({ value }) => value === host)

/** Default: `clustered`. */
export const topologyOf = (service: ServiceDraft): 'clustered' | 'replicator' =>
  valueFor(service.fields, fields.topology) ?? 'clustered'

function roles({ field, service }: Mention): readonly Component[] {
  if (topologyOf(service) === 'replicator') return field === 'members' ? ['replicator'] : []
  if (field === 'members') return ['manager', 'replicator']
  return field === 'connectors' ? ['connector'] : ['manager']
}

/** Components and services of one host. */
export type Placement = {
  readonly services: readonly ServiceDraft[]
  readonly components: readonly Component[]
}

/** Returns components and services of each host that a service names (options.md, "Components of a host"). */
export function placements(draft: Draft): ReadonlyMap<string, Placement> {
  const wanted = new Map<string, { services: Set<ServiceDraft>; components: Set<Component> }>()
  for (const mention of [...draft.services.values()].flatMap(mentionsOf)) {
    const host = wanted.get(mention.host) ?? { services: new Set(), components: new Set() }
    host.services.add(mention.service)
    for (const component of roles(mention)) host.components.add(component)
    wanted.set(mention.host, host)
  }
  return new Map(
    [...wanted].map(([name, host]) => [
      name,
      {
        services: [...host.services],
        components: components.filter((component) => host.components.has(component)),
      },
    ]),
  )
}
