import type { Paths } from '../paths.ts'
import { host as hostFields } from '../settings/places.ts'
import type { Setting } from '../settings/setting.ts'
import { type Draft, emptyDraft, type HostDraft } from '../shape/draft.ts'
import { overlay } from '../shape/overlay.ts'
import { type Values, valueFor } from '../shape/values.ts'
import { withProxied } from './proxied.ts'
import type { Origin, Resolved, ResolvedCluster, ResolvedHost } from './resolved.ts'
import { type Placement, placements } from './topology.ts'

type Layer = { readonly origin: Origin; readonly values: Values }

/** Looks a setting up through layers, the highest first. */
const lookup =
  (layers: readonly Layer[]) =>
  <T>(setting: Setting<T>): Resolved<T> => {
    const layer = layers.find(({ values }) => values.has(setting.name))
    const given = layer?.values.get(setting.name)
    if (layer === undefined || given === undefined) return { value: setting.default, origin: 'default' }
    return { value: valueFor(layer.values, setting) ?? setting.default, origin: layer.origin, given }
  }

function resolveHost(
  host: HostDraft,
  context: { draft: Draft; sets: Values; placement: Placement },
): Omit<ResolvedHost, 'proxied'> {
  const { draft, sets, placement } = context
  const connection = valueFor(host.fields, hostFields.connection) ?? 'ssh'
  return {
    name: host.name,
    span: host.span,
    draft: host,
    ...placement,
    connection,
    address: valueFor(host.fields, hostFields.address) ?? (connection === 'local' ? '127.0.0.1' : host.name),
    option: lookup([
      { origin: 'set', values: sets },
      { origin: 'host', values: host.options },
      ...placement.services
        .toReversed()
        .map(({ options }) => ({ origin: 'service' as const, values: options })),
      { origin: 'defaults', values: draft.defaults },
    ]),
    ssh: lookup([
      { origin: 'host', values: host.ssh },
      { origin: 'defaults', values: draft.ssh },
    ]),
  }
}

/** Applies the layers to every host: built-in default, defaults, services, host, --set (lowest first). */
export function resolveCluster(given: {
  readonly drafts: readonly Draft[]
  readonly sets: Values
  readonly paths: Paths
  readonly files: readonly string[]
  readonly exists?: (path: string) => boolean
}): ResolvedCluster {
  const { drafts, sets, ...rest } = given
  const draft = drafts.reduce(overlay, emptyDraft)
  const placed = placements(draft)
  const nowhere: Placement = { services: [], components: [] }
  const hosts = [...draft.hosts.values()].map((host) =>
    resolveHost(host, { draft, sets, placement: placed.get(host.name) ?? nowhere }),
  )
  return { draft, drafts, sets, hosts: withProxied(draft, hosts), ...rest }
}
