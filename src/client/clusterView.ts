import { Type } from 'typebox'
import { addressAndPort } from '../base/address.ts'
import { lastLines } from '../base/printable.ts'
import { ShownConnector } from '../contracts/connectorPayloads.ts'
import {
  Connections,
  Failover,
  Policy,
  ShownDataSource,
  type TaskPayload,
} from '../contracts/managerPayloads.ts'
import { Writer } from '../contracts/routing.ts'
import { orNull, type ReadonlyStatic } from '../contracts/schemaParts.ts'
import { MapDataSource, MapName } from '../contracts/servicesMap.ts'
import { readShownPayload, shownPayload } from './shownPayload.ts'

/** A code may be one of a later release. */
const Code = orNull(Type.String({ pattern: '^[a-z][a-z-]{0,63}$' }), 'The contradiction, see `reasonCodes`.')

/** A data source of a ServiceStatusPayload as views show it. */
const DataSourceStatus = Type.Object({
  ...MapDataSource.properties,
  ...Type.Omit(ShownDataSource, ['service', 'name', 'host', 'port', 'role']).properties,
  since: Type.String({ pattern: '^[0-9T:.Z+-]{1,40}$' }),
  code: Code,
  appliedLatency: orNull(Type.Integer({ minimum: 0 }), 'Whole seconds.'),
})

/** The members of a ServiceStatusPayload that are shown. */
const ServiceStatus = Type.Object({
  ...{ name: MapName, policy: Policy, writer: Type.Object({ ...Writer.properties, code: Code }) },
  failover: orNull(Type.Object(Failover.properties), 'Null for a release that does not tell.'),
  datasources: Type.Array(DataSourceStatus, { maxItems: 1000 }),
})

type ServiceStatus = ReadonlyStatic<typeof ServiceStatus>

/** A service as one manager sees it; `task` where somebody follows its events. */
export type SeenService = ServiceStatus & { readonly task?: TaskPayload | null }
type SeenWriter = SeenService['writer']
type SeenDataSource = SeenService['datasources'][number]

/** The members of a ConnectorStatusPayload that are shown. */
const ConnectorStatus = Type.Object({
  ...ShownConnector.properties,
  datasources: Type.Array(Type.Object({ service: MapName, name: MapName, ...Connections.properties }), {
    maxItems: 10_000,
  }),
})

/** State of a connector. */
export type SeenConnector = ReadonlyStatic<typeof ConnectorStatus>

/** All services of the manager of a host; those that could be read, if there is a reason why others could not. */
export type ManagerReport = {
  readonly host: string
  readonly services: readonly SeenService[]
  readonly reason?: string
}

/** `at` is the address of its server. */
type Opinion = Pick<SeenDataSource, 'role' | 'state' | 'code' | 'reason' | 'appliedLatency'> & {
  readonly at: string
}

/** A data source as most managers see it, and as each does. */
export type DataSourceView = SeenDataSource & {
  readonly managersAgree: boolean
  readonly managers: readonly ({ readonly host: string } & Opinion)[]
  /** Hosts whose manager has the service, but not this data source. */
  readonly unknownTo: readonly string[]
}

/** A service as most managers see it, and as each does. */
export type ServiceView = {
  readonly name: string
  /** Null if no manager reported the service. */
  readonly writer: SeenWriter | null
  /** False if managers differ about the writer or the policy, or if one does not have the service. */
  readonly managersAgree: boolean
  readonly managers: readonly {
    readonly host: string
    readonly writer: SeenWriter
    readonly policy: Policy
  }[]
  /** Hosts whose manager does not have the service. */
  readonly unknownTo: readonly string[]
  /** Hosts whose manager did not report the service. */
  readonly missing: readonly { readonly host: string; readonly reason: string }[]
  readonly datasources: readonly DataSourceView[]
}

/** Reads the response to `GET manager/status/service/NAME`; undefined for any other. Its words are made printable. */
export const readServiceStatus = (body: unknown): SeenService | undefined =>
  readShownPayload(ServiceStatus, body)

/** Takes the members that are shown, with printable words. */
export const seenService = (service: ServiceStatus): SeenService => shownPayload(ServiceStatus, service)

/** Takes the members of a data source that are shown, with printable words. */
export const seenDataSource = (source: SeenDataSource): SeenDataSource =>
  shownPayload(DataSourceStatus, source)

/** Reads the response to `GET connector/status`; undefined for any other. Its words are made printable. */
export const readConnectorStatus = (body: unknown): SeenConnector | undefined =>
  readShownPayload(ConnectorStatus, body)

/**
 * Joins the reports of managers into one view. Services and data sources are in the order of `map`; those that only
 * managers have follow in the order of the reports.
 */
export function joinReports(
  reports: readonly ManagerReport[],
  map: readonly { readonly name: string; readonly datasources: readonly { readonly name: string }[] }[] = [],
): readonly ServiceView[] {
  const names = namesOf([...map, ...reports.flatMap(({ services }) => services)])
  return names.map((name) => {
    const mapped = map.find((service) => service.name === name)
    return joinService({ name, reports, order: mapped?.datasources ?? [] })
  })
}

const namesOf = (named: readonly { readonly name: string }[]): readonly string[] => [
  ...new Set(named.map(({ name }) => name)),
]

function joinService(options: {
  readonly name: string
  readonly reports: readonly ManagerReport[]
  readonly order: readonly { readonly name: string }[]
}): ServiceView {
  const { name, reports, order } = options
  const seen = reports.flatMap(({ host, services }): SeenBy[] => {
    const service = services.find((one) => one.name === name)
    if (service === undefined) return []
    return [{ host, service, sources: new Map(service.datasources.map((it) => [it.name, it])) }]
  })
  const seenBy = new Set(seen.map(({ host }) => host))
  const others = reports.filter(({ host }) => !seenBy.has(host))
  const unknownTo = others.filter(({ reason }) => reason === undefined).map(({ host }) => host)
  const missing = others.flatMap(({ host, reason }) => (reason === undefined ? [] : [{ host, reason }]))
  const managers = seen.map(({ host, service: { writer, policy } }) => ({ host, writer, policy }))
  const writers = groupOpinions(managers, writerOf)
  const known = namesOf([...order, ...seen.flatMap(({ service }) => service.datasources)])
  return {
    name,
    writer: writers[0]?.[0].writer ?? null,
    managersAgree: disputedParts({ managers }).length === 0 && (unknownTo.length === 0 || seen.length === 0),
    managers,
    unknownTo,
    missing,
    datasources: known.flatMap((source) => joinDataSource(source, seen)),
  }
}

type ServiceOpinion = ServiceView['managers'][number]

/** Returns the writer that a manager names, as text. */
export const writerOf = ({ writer }: ServiceOpinion): string => writer.datasource ?? 'none'

const parts = { writer: writerOf, policy: ({ policy }: ServiceOpinion): string => policy } as const

/** Returns of which parts of a service its managers say different things, with each of these. */
export const disputedParts = ({ managers }: Pick<ServiceView, 'managers'>) =>
  (['writer', 'policy'] as const).flatMap((part) => {
    const opinions = groupOpinions(managers, parts[part])
    return opinions.length > 1 ? [{ part, opinions, says: parts[part] }] : []
  })

/** A service as the manager of a host sees it, with its data sources by name. */
type SeenBy = {
  readonly host: string
  readonly service: SeenService
  readonly sources: ReadonlyMap<string, SeenDataSource>
}

function joinDataSource(name: string, seen: readonly SeenBy[]): readonly DataSourceView[] {
  const managers: DataSourceView['managers'][number][] = []
  const unknownTo: string[] = []
  for (const { host, sources } of seen) {
    const source = sources.get(name)
    if (source === undefined) unknownTo.push(host)
    else {
      const { role, state, code, reason, appliedLatency } = source
      const at = addressAndPort(source.host, source.port)
      managers.push({ host, role, state, at, code, reason, appliedLatency })
    }
  }
  const [first] = managers
  const isAgreed = managers.every(
    ({ role, state, at }) => role === first?.role && state === first.state && at === first.at,
  )
  // Grouping hundreds of opinions takes its time, and mostly they are the same.
  const most = isAgreed ? first : groupOpinions(managers, opinionOf)[0]?.[0]
  const source = seen.find(({ host }) => host === most?.host)?.sources.get(name)
  // A data source of the file that no manager has, for example because it was added since the last install.
  if (source === undefined) return []
  return [{ ...source, managersAgree: isAgreed && unknownTo.length === 0, managers, unknownTo }]
}

/** Role, state and address: managers that say the same of all three agree. */
export const opinionOf = ({ role, state, at }: Pick<Opinion, 'role' | 'state' | 'at'>): string =>
  `${role} ${state} at ${at}`

/** Groups equal opinions, the most frequent first; of equally frequent ones, the first manager's. */
export function groupOpinions<Opinion>(
  opinions: readonly Opinion[],
  keyOf: (opinion: Opinion) => string,
): readonly (readonly [Opinion, ...Opinion[]])[] {
  const groups = new Map<string, [Opinion, ...Opinion[]]>()
  for (const opinion of opinions) {
    const group = groups.get(keyOf(opinion))
    if (group === undefined) groups.set(keyOf(opinion), [opinion])
    else group.push(opinion)
  }
  return [...groups.values()].sort((one, other) => other.length - one.length)
}

/** Returns true if all managers that reported a service say the same of it and of its data sources. */
export const managersAgree = (services: readonly ServiceView[]): boolean =>
  services.every((service) => service.managersAgree && service.datasources.every((it) => it.managersAgree))

/** Returns views and the like for --json: members without a value are left out. */
export const viewsToJson = (views: unknown): unknown =>
  JSON.parse(JSON.stringify(views, (_name, value: unknown) => (value === null ? undefined : value)))

/** Readiness of a component. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string }

/** Limit on the reasons that are read from one response. */
const maxReasons = 20

/** Reads the response to `GET /health/ready`; undefined if it is none. The reason is one printable line. */
export function readReadiness(response: {
  readonly status: number
  readonly body: unknown
}): Readiness | undefined {
  const { status, body } = response
  if (typeof body !== 'string' || !/^(un)?ready\b/.test(body)) return undefined
  if (status === 200) return { ready: true }
  const [, ...lines] = body.trimEnd().split('\n', maxReasons + 1)
  const reasons = lines.map(lastLines).filter((line) => line !== '')
  return { ready: false, reason: reasons.length === 0 ? 'it gives no reason' : reasons.join('; ') }
}
