import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { lastLines } from '../base/printable.ts'
import { orNull, type ReadonlyStatic } from '../contracts/schemaParts.ts'
import { DataSourceRole, DataSourceState, MapName } from '../contracts/servicesMap.ts'
import { readEnvelope } from './envelope.ts'

const Code = orNull(Type.String({ pattern: '^[a-z][a-z-]{0,63}$' }), 'The contradiction, see `reasonCodes`.')
const Words = orNull(Type.String(), 'For people.')

/** The members of a ServiceStatusPayload that are compared; hosts of other releases may send more. */
const SeenService = Type.Object({
  name: MapName,
  writer: Type.Object({ datasource: orNull(MapName, 'Null for none.'), code: Code, reason: Words }),
  datasources: Type.Array(
    Type.Object({
      name: MapName,
      role: DataSourceRole,
      state: DataSourceState,
      code: Code,
      reason: Words,
      appliedLatency: orNull(Type.Integer({ minimum: 0 }), 'Whole seconds.'),
    }),
    { maxItems: 1000 },
  ),
})

/** A service as one manager sees it. */
export type SeenService = ReadonlyStatic<typeof SeenService>
type SeenWriter = SeenService['writer']
type SeenDataSource = SeenService['datasources'][number]

/** All services of the manager of a host; those that could be read, if there is a reason why others could not. */
export type ManagerReport = {
  readonly host: string
  readonly services: readonly SeenService[]
  readonly reason?: string
}

/** A data source as most managers see it, and as each does. */
export type DataSourceView = SeenDataSource & {
  readonly managersAgree: boolean
  readonly managers: readonly ({ readonly host: string } & Omit<SeenDataSource, 'name'>)[]
  /** Hosts whose manager has the service, but not this data source. */
  readonly unknownTo: readonly string[]
}

/** A service as most managers see it, and as each does. */
export type ServiceView = {
  readonly name: string
  /** Null if no manager reported the service. */
  readonly writer: SeenWriter | null
  /** False if managers differ about the writer, or if one does not have the service. */
  readonly managersAgree: boolean
  readonly managers: readonly { readonly host: string; readonly writer: SeenWriter }[]
  /** Hosts whose manager does not have the service. */
  readonly unknownTo: readonly string[]
  /** Hosts whose manager did not report the service. */
  readonly missing: readonly { readonly host: string; readonly reason: string }[]
  readonly datasources: readonly DataSourceView[]
}

/** Reads the response to `GET manager/status/service/NAME`; undefined for any other. Its words are made printable. */
export function readServiceStatus(body: unknown): SeenService | undefined {
  const payload = readEnvelope(body)?.payload
  if (!Value.Check(SeenService, payload)) return undefined
  const { name, writer, datasources } = payload
  return {
    name,
    writer: { datasource: writer.datasource, ...wordsOf(writer) },
    datasources: datasources.map((it) => ({
      name: it.name,
      role: it.role,
      state: it.state,
      ...wordsOf(it),
      appliedLatency: it.appliedLatency,
    })),
  }
}

const wordsOf = ({ code, reason }: Pick<SeenWriter, 'code' | 'reason'>) => ({
  code,
  reason: reason === null ? null : lastLines(reason),
})

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
  const seen = reports.flatMap(({ host, services }) => {
    const service = services.find((one) => one.name === name)
    return service === undefined ? [] : [{ host, service }]
  })
  const others = reports.filter(({ host }) => seen.every((one) => one.host !== host))
  const unknownTo = others.filter(({ reason }) => reason === undefined).map(({ host }) => host)
  const missing = others.flatMap(({ host, reason }) => (reason === undefined ? [] : [{ host, reason }]))
  const managers = seen.map(({ host, service }) => ({ host, writer: service.writer }))
  const writers = groupOpinions(managers, ({ writer }) => writer.datasource ?? '')
  const known = namesOf([...order, ...seen.flatMap(({ service }) => service.datasources)])
  return {
    name,
    writer: writers[0]?.[0].writer ?? null,
    managersAgree: writers.length <= 1 && (unknownTo.length === 0 || seen.length === 0),
    managers,
    unknownTo,
    missing,
    datasources: known.flatMap((source) => joinDataSource(source, seen)),
  }
}

function joinDataSource(
  name: string,
  seen: readonly { readonly host: string; readonly service: SeenService }[],
): readonly DataSourceView[] {
  const managers = seen.flatMap(({ host, service }) => {
    const found = service.datasources.find((one) => one.name === name)
    if (found === undefined) return []
    const { name: _, ...rest } = found
    return [{ host, ...rest }]
  })
  const groups = groupOpinions(managers, opinionOf)
  const [most] = groups
  // A data source of the file that no manager has, for example because it was added since the last install.
  if (most === undefined) return []
  const { host: _, ...value } = most[0]
  const unknownTo = seen.map(({ host }) => host).filter((host) => managers.every((one) => one.host !== host))
  return [
    { name, ...value, managersAgree: groups.length === 1 && unknownTo.length === 0, managers, unknownTo },
  ]
}

/** Role and state: managers that say the same of both agree. */
export const opinionOf = ({ role, state }: Pick<SeenDataSource, 'role' | 'state'>): string =>
  `${role} ${state}`

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

/** Returns the views for --json: members without a value are left out. */
export const viewsToJson = (services: readonly ServiceView[]): unknown =>
  JSON.parse(JSON.stringify(services, (_name, value: unknown) => (value === null ? undefined : value)))

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
