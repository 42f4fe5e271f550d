import { printable } from '../../base/printable.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { cell, object, objects } from './cells.ts'
import { renderBody } from './renderPayload.ts'
import { renderTable } from './renderTable.ts'

/** A ClusterTopologyPayload as a person reads it: services with their data sources, then connectors. */
export function renderTopology(body: unknown, columns?: number): string {
  const payload = object(readEnvelope(body)?.payload)
  if (!Array.isArray(payload.services)) return renderBody(body)
  const rows = objects(payload.services).flatMap((service) => {
    const sources = objects(service.datasources)
    if (sources.length === 0) return [[cell(service.name), '-', '-']]
    return sources.map(({ name, role }) => [cell(service.name), cell(name), cell(role)])
  })
  const routers = objects(payload.routers).map(({ name, connections }) => {
    const { active, created } = object(connections)
    return [cell(name), cell(active), cell(created)]
  })
  const tables = [
    ...(rows.length === 0
      ? ['no services\n']
      : [renderTable(['service', 'data source', 'role'], rows, columns)]),
    ...(routers.length === 0 ? [] : [renderTable(['connector', 'active', 'created'], routers, columns)]),
  ]
  return `${printable(`cluster ${cell(payload.name)}, ${cell(payload.topology)}`)}\n${tables.join('\n')}`
}
