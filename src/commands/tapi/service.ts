import type { ExitCode } from '../../cli/exitCodes.ts'
import { guarded } from '../../client/apiPath.ts'
import { get } from '../../client/calls.ts'
import { basePath } from '../../contracts/route.ts'
import { briefly } from './briefly.ts'
import type { Change } from './change.ts'
import { findService } from './findService.ts'
import { refusalToTell } from './forecast.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderService } from './renderDatasources.ts'
import { showOutcome } from './showOutcome.ts'

/** What can be done to a whole service; each a call of its own. */
export const serviceChanges = ['online', 'offline'] as const

export type ServiceChange = (typeof serviceChanges)[number]

/** The status of a service, as the manager tells it. */
export const servicePath = (service: string): string =>
  `${basePath}/manager/status/service/${encodeURIComponent(service)}`

/** The call that changes a service, without the guard. */
export const controlPath = (service: string): string =>
  `${basePath}/manager/control/service/${encodeURIComponent(service)}`

/** `tapi service status [SERVICE]`: a service and its data sources; the only one unless named. */
export async function serviceStatus(call: Call, service: string | undefined): Promise<ExitCode> {
  const known = { ...call, caller: await login(call) }
  const found = await findService(known, { service })
  const outcome = 'problem' in found ? found : await get(known.caller, servicePath(found.service))
  return showOutcome({ call, outcome, render: renderService })
}

const questions: Readonly<Record<ServiceChange, (what: string) => string>> = {
  online: (what) => `Bring every offline data source of ${what} online?`,
  offline: (what) =>
    `Take every data source of ${what} offline? Applications then cannot reach the database through the connector. ` +
    'Under AUTOMATIC they come back online by themselves.',
}

/** `tapi service online|offline [SERVICE]`: every data source of a service. */
export const changeService = (change: ServiceChange, service: string | undefined): Change => ({
  command: `service ${change}`,
  local: true,
  question: (where) => `${questions[change](service ?? 'the service')} As ${where} sees it.`,
  forecast: async (call) => (service === undefined ? undefined : refusalToTell(call, servicePath(service))),
  order: async (call) => {
    const found = await findService(call, { service })
    if ('problem' in found) return found
    return { path: guarded(`${controlPath(found.service)}/${change}`) }
  },
  render: renderService,
  brief: briefly,
})
