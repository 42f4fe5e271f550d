import { readEnvelope } from '../../client/envelope.ts'
import { address, cell, type Fields, object, objects } from './cells.ts'
import { renderBody } from './renderPayload.ts'
import { renderTable } from './renderTable.ts'

const headline = ['service', 'data source', 'role', 'state', 'address']

function rows(service: Fields): readonly (readonly string[])[] {
  const sources = objects(service.datasources)
  if (sources.length === 0) return [[cell(service.name), '-', '-', '-', '-']]
  return sources.map((it) => [cell(service.name), cell(it.name), cell(it.role), cell(it.state), address(it)])
}

/** What of the map a payload tells: all services, one service, or one data source. */
function servicesOf(payload: Fields): readonly Fields[] | undefined {
  if (Array.isArray(payload.services)) return objects(payload.services)
  if (Array.isArray(payload.datasources)) return [payload]
  return typeof payload.service === 'string' ? [{ name: payload.service, datasources: [payload] }] : undefined
}

/** A ServicesMapPayload, DataServicePayload or DataSourcePayload as a person reads it. Ends with a newline. */
export function renderMap(body: unknown, columns?: number): string {
  const payload = object(readEnvelope(body)?.payload)
  const services = servicesOf(payload)
  if (services === undefined) return renderBody(body)
  const table =
    services.length === 0 ? 'no services\n' : renderTable(headline, services.flatMap(rows), columns)
  if (typeof payload.changed !== 'boolean') return table
  return `${table}${payload.changed ? 'changed' : 'unchanged'}\n`
}
