import { printable } from '../../base/printable.ts'
import { failoverWord } from '../../contracts/clusterPicture.ts'
import {
  address,
  cell,
  changedField,
  type Fields,
  object,
  objects,
  payloadOf,
  renderBody,
  renderFields,
  renderTable,
  seconds,
  time,
} from './render.ts'

const headline = ['data source', 'role', 'state', 'address', 'seqno', 'lag', 'active']

const row = (it: Fields): readonly string[] => [
  cell(it.name),
  cell(it.role),
  cell(it.state),
  address(it),
  cell(it.seqno),
  seconds(it.appliedLatency),
  cell(object(it.connections).active),
]

/** Returns a reason with its code, for `muster explain`: `db2 is read-only (read-only-primary)`. */
const withCode = ({ reason, code }: Fields): string =>
  typeof code === 'string' ? `${cell(reason)} (${code})` : cell(reason)

/** Renders the reason of a state; empty for a data source that is online without one. */
function remark(source: Fields): string {
  const { name, state, since, by, reason } = source
  if (state === 'ONLINE' && typeof reason !== 'string') return ''
  const why = typeof reason === 'string' ? `: ${withCode(source)}` : ''
  return `${printable(`${cell(name)}: ${cell(state)} since ${time(since)} by ${cell(by)}${why}`)}\n`
}

/** Renders data sources as a table with the reasons of their states below; ends with a newline. */
export function renderDatasources(datasources: readonly Fields[], columns?: number): string {
  if (datasources.length === 0) return 'no data sources\n'
  return `${renderTable(headline, datasources.map(row), columns)}${datasources.map(remark).join('')}`
}

const changedWord = ({ changed }: Fields): string =>
  typeof changed === 'boolean' ? (changed ? ', changed' : ', unchanged') : ''

/** Renders why clients cannot write; empty while they can. */
function withoutWriter(writer: Fields): string {
  const { datasource, reason } = writer
  if (typeof datasource === 'string' || typeof reason !== 'string') return ''
  return `${printable(`no writer: ${withCode(writer)}`)}\n`
}

/** Renders a ServiceStatusPayload; ends with a newline. */
export function renderService(body: unknown, columns?: number): string {
  const service = payloadOf(body)
  if (!Array.isArray(service.datasources)) return renderBody(body)
  const { automatic, reason } = object(service.failover)
  const way = failoverWord({ automatic: automatic === true })
  const title = `${cell(service.name)}: policy ${cell(service.policy)}, failover ${way}${changedWord(service)}`
  const why = typeof reason === 'string' ? `${printable(`failover ${way}: ${reason}`)}\n` : ''
  const table = renderDatasources(objects(service.datasources), columns)
  return `${printable(title)}\n${withoutWriter(object(service.writer))}${why}${table}`
}

/** Renders a DatasourceStatusPayload; ends with a newline. */
export function renderDatasource(body: unknown, columns?: number): string {
  const it = payloadOf(body)
  if (typeof it.name !== 'string') return renderBody(body)
  const { active, created } = object(it.connections)
  return renderFields(
    [
      ['service', cell(it.service)],
      ['data source', it.name],
      ['role', cell(it.role)],
      ['follows', cell(it.follows)],
      ['address', address(it)],
      ['state', `${cell(it.state)} since ${time(it.since)} by ${cell(it.by)}`],
      ['reason', withCode(it)],
      ['checked', time(it.checkedAt)],
      ['connections', active === undefined ? '-' : `${cell(active)} active, ${cell(created)} created`],
      ['seqno', cell(it.seqno)],
      ['lag', seconds(it.appliedLatency)],
      ...changedField(it),
    ],
    columns,
  )
}
