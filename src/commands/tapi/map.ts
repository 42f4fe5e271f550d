import type { ExitCode } from '../../cli/exitCodes.ts'
import { guarded } from '../../client/apiPath.ts'
import { get } from '../../client/calls.ts'
import { envelope } from '../../client/envelope.ts'
import * as editMap from '../../contracts/editMap.ts'
import { basePath } from '../../contracts/route.ts'
import { dataSourceRoles, type MapDataSource, type ServicesMap } from '../../contracts/servicesMap.ts'
import { briefly } from './briefly.ts'
import { cell, type Fields, objects } from './cells.ts'
import type { Change } from './change.ts'
import { findService, mapPath } from './findService.ts'
import { type Forecast, payloadOf, wouldRefuse } from './forecast.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderMap } from './renderMap.ts'
import { showOutcome } from './showOutcome.ts'

const pathOf = (call: Call, name: string): string => guarded(`${basePath}/${call.target.component}/${name}`)

const shown = { render: renderMap, brief: briefly, local: true } as const

/** `tapi map show`: the services map in effect, with the state of each data source. */
export async function showMap(call: Call): Promise<ExitCode> {
  const outcome = await get(await login(call), mapPath(call))
  return showOutcome({ call, outcome, render: renderMap })
}

/** The services map of an answer; data sources that are none are left out. */
const mapOf = ({ services }: Fields): ServicesMap => ({
  services: objects(services).map(({ name, datasources }) => ({
    name: cell(name),
    datasources: objects(datasources).flatMap((source) => {
      const role = dataSourceRoles.find((known) => known === source.role)
      if (role === undefined) return []
      return [{ name: cell(source.name), host: cell(source.host), port: Number(source.port), role }]
    }),
  })),
})

/** Foresees a change that the map of a host does not take; `edit` is tried on the map that the host reports. */
async function foresee(call: Call, edit?: (map: ServicesMap) => unknown): Promise<Forecast> {
  const { component, found } = call.target
  if (component === 'connector' && found?.host.apis.some((api) => api.component === 'manager')) {
    return wouldRefuse(
      'follows-manager',
      'Make the change with --component manager: the connector takes it over.',
    )
  }
  const told = await payloadOf(call, mapPath(call))
  if ('problem' in told) return told
  try {
    edit?.(mapOf(told.payload))
    return undefined
  } catch (error) {
    if (error instanceof editMap.MapRefusal) return wouldRefuse(error.code, error.message)
    throw error
  }
}

/** `tapi map set FILE`: a whole new map. */
export const setMap = (services: unknown): Change => ({
  ...shown,
  command: 'map set',
  question: (where) => `Replace the whole services map of ${where}?`,
  forecast: (call) => foresee(call),
  order: async (call) => ({
    path: guarded(mapPath(call)),
    body: envelope('ServicesMapPayload', { services }),
  }),
})

/** `tapi map add-service NAME`: one more service. */
export const addService = (name: string, datasources: readonly MapDataSource[]): Change => ({
  ...shown,
  command: 'map add-service',
  question: (where) => `Add the service ${name} to the services map of ${where}?`,
  forecast: (call) =>
    foresee(call, (map) => editMap.addService(map, { name, datasources: [...datasources] })),
  order: async (call) => ({
    path: pathOf(call, 'addDataService'),
    body: envelope('DataServicePayload', { name, ...(datasources.length > 0 && { datasources }) }),
  }),
})

/** `tapi map add-datasource`: one more data source of a service. */
export const addDatasource = (source: MapDataSource, service: string | undefined): Change => ({
  ...shown,
  command: 'map add-datasource',
  question: (where) =>
    `Add the data source ${source.name} (${source.role} at ${source.host} port ${source.port}) to the services map of ${where}?`,
  forecast: async (call) => {
    const found = await findService(call, { service })
    if ('problem' in found) return found
    return foresee(call, (map) => editMap.addDataSource(map, { service: found.service, ...source }))
  },
  order: async (call) => {
    const found = await findService(call, { service })
    if ('problem' in found) return found
    const body = envelope('DataSourcePayload', { service: found.service, ...source })
    return { path: pathOf(call, 'addDataSource'), body }
  },
})

/** `tapi map reset`: back to the installed map. */
export const resetMap: Change = {
  ...shown,
  command: 'map reset',
  question: (where) =>
    `Reset the services map of ${where} to the installed one? Changes made by calls are discarded.`,
  forecast: (call) => foresee(call),
  order: async (call) => ({ path: pathOf(call, 'reset') }),
}
