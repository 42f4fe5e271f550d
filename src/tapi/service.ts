import { isObject } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { guarded } from '../client/apiPath.ts'
import { get } from '../client/calls.ts'
import { readEnvelope } from '../client/envelope.ts'
import { basePath } from '../contracts/route.ts'
import { type Change, refusalToTell } from './change.ts'
import { findService } from './findService.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { briefly, cell, type Fields, objects, renderBody, renderTable, seconds } from './render.ts'
import { renderService } from './renderDatasources.ts'
import { showOutcome } from './showResults.ts'

const columns: readonly (readonly [title: string, show: (service: Fields) => string])[] = [
  ['role', ({ role }) => cell(role)],
  ['state', ({ state }) => cell(state)],
  ['seqno', ({ appliedLastSeqno }) => cell(appliedLastSeqno)],
  ['latency', ({ appliedLatency }) => seconds(appliedLatency)],
  ['primary', ({ masterConnectUri }) => cell(masterConnectUri)],
]

const changed: (typeof columns)[number] = ['changed', (it) => (it.changed === true ? 'yes' : 'no')]

function errorOf(name: string, service: Fields): string {
  const { pendingError, pendingErrorCode, pendingExceptionMessage } = service
  if (typeof pendingError !== 'string') return ''
  const words = `ERROR ${cell(pendingErrorCode)}: ${cell(pendingExceptionMessage)}`
  return `${printable(`${name}: ${pendingError}`)}\n  ${printable(words)}\n`
}

/** A ReplicatorStatusPayload as a person reads it: a table, and below it what is wrong. Ends with a newline. */
export function renderServices(body: unknown, width?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!isObject(payload)) return renderBody(body)
  const services = Object.entries(payload).filter((entry): entry is [string, Fields] => isObject(entry[1]))
  if (services.length === 0) return 'no replication services\n'
  const shown = services.some(([, it]) => 'changed' in it) ? [...columns, changed] : columns
  const headline = ['service', ...shown.map(([title]) => title)]
  const rows = services.map(([name, it]) => [name, ...shown.map(([, show]) => show(it))])
  return `${renderTable(headline, rows, width)}${services.map(([name, it]) => errorOf(name, it)).join('')}`
}

/** A ServicesPayload as a person reads it. Ends with a newline. */
export function renderServiceList(body: unknown, width?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload)) return renderBody(body)
  const services = objects(payload)
  if (services.length === 0) return 'no replication services\n'
  const headline = ['service', ...columns.map(([title]) => title)]
  const rows = services.map((it) => [cell(it.serviceName), ...columns.map(([, show]) => show(it))])
  return renderTable(headline, rows, width)
}

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
