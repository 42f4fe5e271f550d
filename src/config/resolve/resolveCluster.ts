import type { Paths } from '../paths.ts'
import { options } from '../settings/options.ts'
import { host as hostFields } from '../settings/places.ts'
import type { Setting } from '../settings/setting.ts'
import {
  type Draft,
  emptyDraft,
  type HostDraft,
  type ServiceDraft,
  type Values,
  valueFor,
} from '../shape/draft.ts'
import { hasDatabase, memberNames } from './dataSources.ts'
import { isNamedIn, type Placement, placements, topologyOf } from './placements.ts'
import type { Origin, Resolved, ResolvedCluster, ResolvedHost } from './resolved.ts'

const mergeValues = (below: Values, above: Values): Values => new Map([...below, ...above])

const mergeService = (below: ServiceDraft, above: ServiceDraft): ServiceDraft => ({
  ...below,
  fields: mergeValues(below.fields, above.fields),
  options: mergeValues(below.options, above.options),
})

const mergeHost = (below: HostDraft, above: HostDraft): HostDraft => ({
  ...below,
  fields: mergeValues(below.fields, above.fields),
  ssh: mergeValues(below.ssh, above.ssh),
  options: mergeValues(below.options, above.options),
})

function mergeByName<T>(
  below: ReadonlyMap<string, T>,
  above: ReadonlyMap<string, T>,
  merge: (below: T, above: T) => T,
): ReadonlyMap<string, T> {
  const joined = new Map(below)
  for (const [name, value] of above) {
    const earlier = joined.get(name)
    joined.set(name, earlier === undefined ? value : merge(earlier, value))
  }
  return joined
}

/** Merges a later file over an earlier one: groups by name; values and lists are replaced. */
const mergeDrafts = (below: Draft, above: Draft): Draft => ({
  fields: mergeValues(below.fields, above.fields),
  defaults: mergeValues(below.defaults, above.defaults),
  ssh: mergeValues(below.ssh, above.ssh),
  hooks: mergeValues(below.hooks, above.hooks),
  services: mergeByName(below.services, above.services, mergeService),
  hosts: mergeByName(below.hosts, above.hosts, mergeHost),
  groups: new Map([...above.groups, ...below.groups]),
})

type HostWithoutProxy = Omit<ResolvedHost, 'proxied'>

const hasConnector = (service: ServiceDraft, host: string): boolean =>
  topologyOf(service) === 'clustered' && isNamedIn(service, 'connectors', host)

const hasApplicationPort = ({ option }: HostWithoutProxy): boolean =>
  [options.proxy.port, options.proxy.readonlyPort].some((port) => option(port).given !== undefined)

/** Adds to each host the services whose clients its connector takes. */
function withProxied(draft: Draft, hosts: readonly HostWithoutProxy[]): readonly ResolvedHost[] {
  const databases = new Set(hosts.filter(hasDatabase).map(({ name }) => name))
  const servicesWithDatabase = new Set(
    [...draft.services.values()].filter((service) =>
      memberNames(service).some((name) => databases.has(name)),
    ),
  )
  return hosts.map((host) => {
    const ownServices = host.services.filter((service) => hasConnector(service, host.name))
    const ownWithDatabase = ownServices.filter((service) => servicesWithDatabase.has(service))
    const proxied = ownWithDatabase.length === 0 && hasApplicationPort(host) ? ownServices : ownWithDatabase
    return { ...host, proxied }
  })
}

type Layer = { readonly origin: Origin; readonly values: Values }

/** Looks up a setting in layers, the highest first. */
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
  const draft = drafts.reduce(mergeDrafts, emptyDraft)
  const placed = placements(draft)
  const noPlacement: Placement = { services: [], components: [] }
  const hosts = [...draft.hosts.values()].map((host) =>
    resolveHost(host, { draft, sets, placement: placed.get(host.name) ?? noPlacement }),
  )
  return { draft, drafts, sets, hosts: withProxied(draft, hosts), ...rest }
}
