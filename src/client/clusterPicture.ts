import type {
  ClusterPicture,
  PictureDataSource,
  PictureHost,
  PictureService,
} from '../contracts/clusterPicture.ts'
import { type Failover, ShownDataSource } from '../contracts/managerPayloads.ts'
import { type ReasonCode, reasonCodes } from '../contracts/routing.ts'
import type { MapDataSource, MapService } from '../contracts/servicesMap.ts'
import { verdictOf } from './clusterVerdict.ts'
import {
  joinReports,
  type ManagerReport,
  type SeenConnector,
  type SeenService,
  type ServiceView,
} from './clusterView.ts'

/** State of a host as far as somebody looked, and all that its connector said. */
export type KnownHost = Omit<PictureHost, 'connector'> & {
  /** Null where it was not asked, or did not respond. */
  readonly connector: SeenConnector | null
  readonly clients: NonNullable<PictureHost['connector']>['clients']
}

/** All that is known of a cluster, from one survey or from streams of events. */
export type ClusterKnowledge = {
  readonly name: string
  readonly now: Date
  /** Services map of the file or of a manager. */
  readonly map: readonly MapService[]
  /** Empty where no manager was asked: then the picture has no services. */
  readonly reports: readonly ManagerReport[]
  /** In the order in which the picture shows them. */
  readonly hosts: readonly KnownHost[]
}

/** Joins what is known into one picture, which does not depend on the order of the reports. */
export function pictureOf(knowledge: ClusterKnowledge): ClusterPicture {
  const { name, map, hosts } = knowledge
  // Of two opinions that equally many managers have, that of the first name counts.
  const reports = knowledge.reports.toSorted((one, other) => (one.host < other.host ? -1 : 1))
  const views = reports.length === 0 ? [] : joinReports(reports, map).filter(isShown)
  const connections = countConnections(reports, hosts)
  const parts = {
    name,
    services: views.map((view) => serviceOf(view, reports)),
    datasources: views.flatMap((view) => dataSourcesOf(view, { map, connections })),
    hosts: hosts.map(({ clients, connector, ...host }) => ({
      ...host,
      connector: connector && connectorOf(connector, clients),
    })),
  }
  return { ...parts, verdict: verdictOf({ ...parts, views, now: knowledge.now }) }
}

function connectorOf({ datasources: _counted, ...own }: SeenConnector, clients: KnownHost['clients']) {
  return { ...own, clients }
}

/** Leaves out services without data sources, as in a cluster without databases. */
export const isShown = (service: ServiceView): boolean =>
  service.datasources.length > 0 || service.managers.length === 0 || !service.managersAgree

function serviceOf(view: ServiceView, reports: readonly ManagerReport[]): PictureService {
  const { name, writer, managersAgree } = view
  const seen = reports.flatMap(({ services }) => services.filter((service) => service.name === name))
  return {
    name,
    policy: mostOf(seen.map(({ policy }) => policy)) ?? null,
    failover: failoverOf(seen.flatMap(({ failover }) => failover ?? [])),
    writer: writer && { ...writer, code: knownCode(writer.code) },
    managersAgree,
    task: lastTask(seen),
  }
}

/** Returns what the managers do by themselves; only what all of them would do is done. Null where none tells. */
function failoverOf(told: readonly Failover[]): Failover | null {
  return (
    told.find(({ automatic }) => !automatic) ?? told.find(({ reason }) => reason !== null) ?? told[0] ?? null
  )
}

/** Returns null for a code of a later release, too: it has no page here. */
const knownCode = (code: string | null): ReasonCode | null => reasonCodes.find((one) => one === code) ?? null

/** Returns the most frequent value; of equally frequent ones the first. */
function mostOf<Value extends string>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0]
}

/** Returns the switch that began last: each manager knows its own ones only. */
function lastTask(seen: readonly SeenService[]): PictureService['task'] {
  const tasks = seen.flatMap(({ task }) => task ?? [])
  return tasks.toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1))[0] ?? null
}

type Connections = NonNullable<PictureDataSource['connections']>

type CountOf = (service: string, datasource: string) => Connections | null

/** Adds up the connections through all connectors; a connector's own word counts before that of its host's manager. */
function countConnections(reports: readonly ManagerReport[], hosts: readonly KnownHost[]): CountOf {
  const sums = new Map<string, Connections>()
  const keyOf = (service: string, name: string): string => `${service}/${name}`
  const add = (service: string, name: string, { active, created }: Connections): void => {
    const key = keyOf(service, name)
    const sum = sums.get(key)
    sums.set(key, { active: (sum?.active ?? 0) + active, created: (sum?.created ?? 0) + created })
  }
  const said = hosts.flatMap(({ name: host, connector }) => (connector ? [{ host, connector }] : []))
  for (const { connector } of said) {
    for (const { service, name, ...counts } of connector.datasources) add(service, name, counts)
  }
  const known = new Set(said.map(({ host }) => host))
  for (const { host, services } of reports) {
    if (known.has(host)) continue
    for (const { name: service, datasources } of services) {
      for (const { name, connections } of datasources) if (connections) add(service, name, connections)
    }
  }
  return (service, name) => sums.get(keyOf(service, name)) ?? null
}

function dataSourcesOf(
  view: ServiceView,
  { map, connections }: { readonly map: readonly MapService[]; readonly connections: CountOf },
): readonly PictureDataSource[] {
  const service = view.name
  const mapped = map.find(({ name }) => name === service)?.datasources ?? []
  const sources =
    view.managers.length > 0
      ? view.datasources.map(({ managers: _managers, unknownTo: _unknownTo, ...source }) => ({
          ...source,
          ...{ service, code: knownCode(source.code) },
        }))
      : mapped.map((source) => unreportedSource(service, source))
  return sources.map((source) => ({ ...source, connections: connections(service, source.name) }))
}

const untold = Object.fromEntries(Object.keys(ShownDataSource.properties).map((name) => [name, null])) as {
  readonly [Member in keyof ShownDataSource]: null
}

/** A data source of the map that no manager reports. */
export const unreportedSource = (
  service: string,
  { name, host, port, role }: MapDataSource,
): PictureDataSource => ({
  ...untold,
  ...{ service, name, host, port, role, state: 'UNKNOWN', managersAgree: true },
})
