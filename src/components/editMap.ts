import { ProblemError } from '../api/problemError.ts'
import type {
  MapDataSource,
  MapService,
  NewDataService,
  NewDataSource,
  ServicesMap,
} from '../contracts/servicesMap.ts'

/** A map after an edit, and whether it changed. */
export type EditedMap = { readonly map: ServicesMap; readonly changed: boolean }

const sameSource = (a: MapDataSource, b: MapDataSource): boolean =>
  a.name === b.name && a.host === b.host && a.port === b.port && a.role === b.role

/** Returns true for the same data sources in any order. */
const sameSources = (a: readonly MapDataSource[], b: readonly MapDataSource[]): boolean =>
  a.length === b.length && a.every((one) => b.some((other) => sameSource(one, other)))

const sameMap = (a: ServicesMap, b: ServicesMap): boolean =>
  a.services.length === b.services.length &&
  a.services.every((one) =>
    b.services.some((other) => one.name === other.name && sameSources(one.datasources, other.datasources)),
  )

const repeated = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index)

/** Throws an `invalid-map` problem where a map contradicts itself. */
function rejectContradiction({ services }: ServicesMap): void {
  const refuse = (detail: string): never => {
    throw new ProblemError({ code: 'invalid-map', detail: `${detail} Nothing was changed.` })
  }
  const twice = repeated(services.map(({ name }) => name))
  if (twice !== undefined) refuse(`The map contains the service ${twice} more than once.`)
  for (const { name, datasources } of services) {
    const same = repeated(datasources.map((it) => it.name))
    if (same !== undefined) refuse(`The service ${name} contains the data source ${same} more than once.`)
    const place = repeated(datasources.map(({ host, port }) => `${host} port ${port}`))
    if (place !== undefined) refuse(`Two data sources of the service ${name} have the address ${place}.`)
    const primaries = datasources.filter(({ role }) => role === 'primary').map((it) => it.name)
    if (primaries.length > 1) {
      refuse(`The service ${name} has more than one primary: ${primaries.join(', ')}.`)
    }
  }
}

/** Replaces the whole map. Throws an `invalid-map` problem. */
export function replaceMap(map: ServicesMap, next: ServicesMap): EditedMap {
  rejectContradiction(next)
  return sameMap(map, next) ? { map, changed: false } : { map: next, changed: true }
}

/** Adds a service; one that is there already with the same data sources changes nothing. Throws a `ProblemError`. */
export function addService(map: ServicesMap, wanted: NewDataService): EditedMap {
  const { name, datasources = [] } = wanted
  const present = map.services.find((it) => it.name === name)
  if (present) {
    if (sameSources(present.datasources, datasources)) return { map, changed: false }
    const detail = `The service ${name} already exists with other data sources. Nothing was changed.`
    throw new ProblemError({ code: 'already-exists', detail })
  }
  const next = { services: [...map.services, { name, datasources }] }
  rejectContradiction(next)
  return { map: next, changed: true }
}

/** Adds a data source; the same one once more changes nothing. Throws a `ProblemError`. */
export function addDataSource(map: ServicesMap, wanted: NewDataSource): EditedMap {
  const { service: serviceName, ...source } = wanted
  const service = map.services.find(({ name }) => name === serviceName)
  if (!service) {
    const detail = `The map has no service ${serviceName}. Add it with addDataService first.`
    throw new ProblemError({ code: 'unknown-service', detail })
  }
  const present = service.datasources.find(({ name }) => name === source.name)
  if (present) {
    if (sameSource(present, source)) return { map, changed: false }
    const { host, port, role } = present
    const detail = `The data source ${source.name} already exists as ${role} at ${host} port ${port}. Nothing was changed.`
    throw new ProblemError({ code: 'already-exists', detail })
  }
  const grown: MapService = { ...service, datasources: [...service.datasources, source] }
  const next = { services: map.services.map((it) => (it === service ? grown : it)) }
  rejectContradiction(next)
  return { map: next, changed: true }
}
