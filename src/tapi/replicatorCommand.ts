import { isObject } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import { type Problem, readEnvelope } from '../client/envelope.ts'
import { replicatorRoutes as routes } from '../contracts/replicatorRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import { defineCalls } from './call/oneCall.ts'
import { cell, type Fields, object, objects, renderBody, renderTable, seconds } from './call/render.ts'

const columns: readonly (readonly [title: string, show: (service: Fields) => string])[] = [
  ['role', ({ role }) => cell(role)],
  ['state', ({ state }) => cell(state)],
  ['seqno', ({ appliedLastSeqno }) => cell(appliedLastSeqno)],
  ['lag', ({ appliedLatency }) => seconds(appliedLatency)],
  ['primary', ({ masterConnectUri }) => cell(masterConnectUri)],
]

const changed: (typeof columns)[number] = ['changed', (it) => (it.changed === true ? 'yes' : 'no')]

function takenOfflineOf(name: string, { takenOffline }: Fields): string {
  const { by, since } = object(takenOffline)
  if (typeof by !== 'string' || typeof since !== 'string') return ''
  return `${printable(`${name}: taken offline by ${by} at ${since}`)}\n`
}

function errorOf(name: string, service: Fields): string {
  const { pendingError, pendingErrorCode, pendingExceptionMessage } = service
  if (typeof pendingError !== 'string') return ''
  const words = `ERROR ${cell(pendingErrorCode)}: ${cell(pendingExceptionMessage)}`
  return `${printable(`${name}: ${pendingError}`)}\n  ${printable(words)}\n`
}

/** Renders a ReplicatorStatusPayload as a table with the errors below; ends with a newline. */
export function renderServices(body: unknown, width?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!isObject(payload)) return renderBody(body)
  const services = Object.entries(payload).filter((entry): entry is [string, Fields] => isObject(entry[1]))
  if (services.length === 0) return 'no replication services\n'
  const shown = services.some(([, it]) => 'changed' in it) ? [...columns, changed] : columns
  const headline = ['service', ...shown.map(([title]) => title)]
  const rows = services.map(([name, it]) => [name, ...shown.map(([, show]) => show(it))])
  return `${renderTable(headline, rows, width)}${services.map(([name, it]) => `${takenOfflineOf(name, it)}${errorOf(name, it)}`).join('')}`
}

/** Renders a ServicesPayload; ends with a newline. */
export function renderServiceList(body: unknown, width?: number): string {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload)) return renderBody(body)
  const services = objects(payload)
  if (services.length === 0) return 'no replication services\n'
  const headline = ['service', ...columns.map(([title]) => title)]
  const rows = services.map((it) => [cell(it.serviceName), ...columns.map(([, show]) => show(it))])
  return renderTable(headline, rows, width)
}

type Given = { readonly service?: string }

const shown = (action: 'Status' | 'Online' | 'Offline' | 'Reset') =>
  ({
    argument: ['[service]', 'name of a service (default: all of the host)'],
    request: ({ service }: Given) =>
      service === undefined
        ? callOf(routes[`replicator${action}` as const])
        : callOf(routes[`replicatorService${action}` as const], { service }),
    render: renderServices,
  }) as const

/** Of a change; `verb` is for a primary, which --all comes to as well. */
const changing = (action: 'Online' | 'Offline' | 'Reset', verb: string) => ({
  ...shown(action),
  nothingToDo: ({ code }: Problem) =>
    code === 'not-configured' ? `not a replica: nothing to ${verb}` : undefined,
})

const of = (where: string, { service }: Given): string =>
  `the replication ${service === undefined ? '' : `service ${service} `}of ${where}`

export const defineReplicator = defineCalls('replicator', {
  services: {
    description: 'list the replication services',
    request: () => callOf(routes.replicatorServices),
    render: renderServiceList,
  },
  status: { ...shown('Status'), description: 'show the state of replication' },
  online: {
    ...changing('Online', 'start'),
    description: 'start replication and wait until it runs without an error',
    question: (where, given: Given) => `Start ${of(where, given)}?`,
  },
  offline: {
    ...changing('Offline', 'stop'),
    description: 'stop replication and wait until it has stopped',
    question: (where, given: Given) => `Stop ${of(where, given)}?`,
  },
  reset: {
    ...changing('Reset', 'reset'),
    description: 'reset the replication position; replication must be offline',
    question: (where, given: Given) =>
      `Reset the replication position of ${of(where, given)}? With GTIDs the database keeps its position; ` +
      "without, it starts over at the primary's oldest binary log.",
  },
})
