import { addressAndPort } from '../../base/address.ts'
import { columnsOf } from '../../base/wrapping.ts'
import {
  connectorWords,
  sourceWords,
  type Topology,
  type TopologyService,
  type TopologySource,
} from './topology.ts'

/** Writes a topology as trees of text, the followers of a data source below it. */
export function graphText(topology: Topology): string {
  const { name, services, others, isLive } = topology
  const parts = [
    [`cluster ${name}`],
    ...services.map((service) => serviceLines(service, isLive)),
    ...(others.length === 0 ? [] : [[`${otherTitle(topology)}: ${others.join(', ')}`]]),
  ]
  return `${parts.map((part) => part.join('\n')).join('\n\n')}\n`
}

const otherTitle = ({ isLive }: Topology): string =>
  isLive ? 'other hosts' : 'other hosts, without a database'

function serviceLines(service: TopologyService, isLive: boolean): readonly string[] {
  const { name, roots, connectors } = service
  const sources = roots.flatMap((root) => sourceRows(root, { isLive, first: '  ', rest: '  ' }))
  const doors = connectors.map((connector): readonly string[] => {
    const { readWrite, readOnly } = connector.clients
    const place = readOnly === null ? readWrite : `${readWrite}, to read ${readOnly}`
    return [`  ${connector.host}`, place, ...(isLive ? [connectorWords(connector)] : [])]
  })
  return [
    `${name}${isLive && service.writer === null ? ' (no writer)' : ''}`,
    ...aligned(sources),
    ...(doors.length === 0 ? [] : ['', '  connectors', ...aligned(doors).map((line) => `  ${line}`)]),
  ]
}

function sourceRows(
  { source, followers }: TopologySource,
  { isLive, first, rest }: { readonly isLive: boolean; readonly first: string; readonly rest: string },
): readonly (readonly string[])[] {
  return [
    [`${first}${source.name}`, addressAndPort(source.host, source.port), sourceWords(source, isLive)],
    ...followers.flatMap((follower, index) => {
      const isLast = index === followers.length - 1
      return sourceRows(follower, {
        isLive,
        first: `${rest}${isLast ? '└─ ' : '├─ '}`,
        rest: `${rest}${isLast ? '   ' : '│  '}`,
      })
    }),
  ]
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => columnsOf(row[at] ?? ''))),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - columnsOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}
