import { UsageError } from '../../cli/usageError.ts'
import { send } from '../../client/calls.ts'
import { connectorMapRoutes } from '../../contracts/connectorRoutes.ts'
import { managerMapRoutes } from '../../contracts/managerRoutes.ts'
import { callOf } from '../../contracts/routeCall.ts'
import type { Refused } from './change.ts'
import type { Call } from './prepareCall.ts'
import { cell, objects, payloadOf } from './render.ts'

/** Returns the calls of the services map on the called component. */
export const mapRoutesOf = ({ target }: Call) =>
  target.component === 'connector' ? connectorMapRoutes : managerMapRoutes

export async function listServices(
  call: Call,
): Promise<{ readonly services: readonly KnownService[] } | Refused> {
  const outcome = await send(call.caller, callOf(mapRoutesOf(call).servicesMap))
  if ('problem' in outcome) return outcome
  const services = objects(payloadOf(outcome.value).services).map((service) => ({
    name: cell(service.name),
    datasources: objects(service.datasources).map(({ name }) => cell(name)),
  }))
  return { services }
}

type KnownService = { readonly name: string; readonly datasources: readonly string[] }

/**
 * Finds the service that a command selects: the named one, the only one, or the only one with the data
 * source. Throws a `UsageError` if it is not clear.
 */
export async function findService(
  call: Call,
  wanted: { readonly service?: string | undefined; readonly datasource?: string },
): Promise<{ readonly service: string } | Refused> {
  if (wanted.service !== undefined) return { service: wanted.service }
  const known = await listServices(call)
  if ('problem' in known) return known
  const { datasource } = wanted
  const matching = known.services.filter(
    ({ datasources }) => datasource === undefined || datasources.includes(datasource),
  )
  const [first, ...others] = matching
  if (first !== undefined && others.length === 0) return { service: first.name }
  const names = known.services.map(({ name }) => name).join(', ')
  const sources = [...new Set(known.services.flatMap(({ datasources }) => datasources))].join(', ')
  if (first !== undefined) {
    throw new UsageError(
      `${datasource ?? 'The service'} is ambiguous on ${call.place}: it is in ${matching.map(({ name }) => name).join(', ')}.`,
      `Select one, for example with --service ${first.name}.`,
    )
  }
  if (datasource === undefined || names === '') {
    throw new UsageError(`${call.place} has no service.`, 'Add one with `tapi map add-service`.')
  }
  throw new UsageError(
    `${call.place} has no data source ${datasource}. It has: ${sources || 'none'}.`,
    'Check the spelling: `tapi service status` lists them.',
  )
}
