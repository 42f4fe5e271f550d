import { readEnvelope } from '../../client/envelope.ts'
import { cell, changedField, object, objects, time } from './cells.ts'
import { renderBody, renderFields } from './renderPayload.ts'
import { renderTable } from './renderTable.ts'

/** A ConnectorStatusPayload as a person reads it. Ends with a newline. */
export function renderConnector(body: unknown, columns?: number): string {
  const it = object(readEnvelope(body)?.payload)
  if (typeof it.value !== 'string') return renderBody(body)
  const fields = renderFields(
    [
      ['state', `${it.value} since ${time(it.since)} by ${cell(it.by)}`],
      ['reason', cell(it.reason)],
      ['active', cell(it.active)],
      [
        'held',
        `${cell(it.held)}${typeof it.expiresAt === 'string' ? `, the first until ${time(it.expiresAt)}` : ''}`,
      ],
      ['created', cell(it.created)],
      ...changedField(it),
    ],
    columns,
  )
  const rows = objects(it.datasources).map((source) =>
    [source.service, source.name, source.active, source.created].map(cell),
  )
  if (rows.length === 0) return fields
  return `${fields}\n${renderTable(['service', 'data source', 'active', 'created'], rows, columns)}`
}
