import { isObject } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { cell, type Fields, objects, seconds } from './cells.ts'
import { renderBody } from './renderPayload.ts'
import { renderTable } from './renderTable.ts'

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
