import type { ExitCode } from '../../cli/exitCodes.ts'
import { get } from '../../client/calls.ts'
import { basePath } from '../../contracts/route.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderTopology } from './renderTopology.ts'
import { showOutcome } from './showOutcome.ts'

/** `tapi topology`: services, data sources and connectors, as the manager of the host knows them. */
export async function topology(call: Call, routers: boolean): Promise<ExitCode> {
  const path = `${basePath}/manager/cluster/topology${routers ? '' : '?includeRouters=no'}`
  return showOutcome({ call, outcome: await get(await login(call), path), render: renderTopology })
}
