import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { type Outcome, send } from '../../client/calls.ts'
import {
  joinReports,
  type ManagerReport,
  managersAgree,
  readServiceStatus,
  type SeenService,
  type ServiceView,
} from '../../client/clusterView.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import { callOf, type RouteCall } from '../../contracts/routeCall.ts'
import type { CallResult } from './callHosts.ts'
import type { Refused } from './change.ts'
import type { Call } from './prepareCall.ts'
import { objects, payloadOf } from './render.ts'
import { hostOf, isUnreachable } from './showResults.ts'

/** Limit on the services that are read from one manager. */
const maxServices = 100

/** Returns the call that reads the topology of a manager. */
export const topologyCall = (routers: boolean): RouteCall =>
  callOf(managerRoutes.managerTopology, {}, { query: routers ? {} : { includeRouters: 'no' } })

/** Reads all services of a manager, and the connector of its host if asked for. */
export async function readManager(
  call: Call,
  { routers }: { readonly routers: boolean },
): Promise<{ readonly report: ManagerReport; readonly topology: Outcome<unknown> } | Refused> {
  const topology = await send(call.caller, topologyCall(routers))
  if ('problem' in topology) return topology
  const names = objects(payloadOf(topology.value).services).flatMap(({ name }) =>
    typeof name === 'string' ? [name] : [],
  )
  const services: SeenService[] = []
  let reason: string | undefined
  for (const name of names.slice(0, maxServices)) {
    const status = await send(call.caller, callOf(managerRoutes.managerServiceStatus, { service: name }))
    if ('problem' in status) {
      // 404: removed since it was listed.
      if (status.problem.status !== 404) reason ??= `it answered ${status.problem.status}`
      continue
    }
    const service = readServiceStatus(status.value)
    if (service === undefined) reason ??= 'its response is not the status of a service'
    else services.push(service)
  }
  if (names.length > maxServices) reason ??= `it has more than ${maxServices} services`
  const host = call.target.found?.host.name ?? call.options.host
  return { report: { host, services, ...(reason === undefined ? {} : { reason }) }, topology }
}

/** Joins the reports of managers; they are well if they agree and each could be read as a whole. */
export function joinResults(
  results: readonly CallResult[],
  reports: ReadonlyMap<string, ManagerReport>,
): { readonly services: readonly ServiceView[]; readonly areWell: boolean } {
  const services = joinReports(results.map((result) => reportOf(result, reports)))
  const areWhole = [...reports.values()].every(({ reason }) => reason === undefined)
  return { services, areWell: managersAgree(services) && areWhole }
}

/** Returns the report of a manager; without one, why there is none. */
function reportOf(result: CallResult, reports: ReadonlyMap<string, ManagerReport>): ManagerReport {
  const report = reports.get(result.call.place)
  if (report !== undefined) return report
  const reason = isUnreachable(result) ? 'unreachable' : 'error' in result ? 'failed' : 'refused'
  return { host: hostOf(result), services: [], reason }
}

/** Returns the exit code of calls of all hosts; what was found takes precedence over an unreachable host. */
export const withFindings = (code: ExitCode, isFound: boolean): ExitCode =>
  isFound && (code === exitCodes.ok || code === exitCodes.unreachable) ? exitCodes.failed : code
