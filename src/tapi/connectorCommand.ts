import { Option } from 'commander'
import { connectorRoutes } from '../contracts/connectorRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import { defineCalls } from './call/oneCall.ts'
import {
  cell,
  changedField,
  objects,
  payloadOf,
  renderBody,
  renderFields,
  renderTable,
  time,
} from './call/render.ts'

/** Renders a ConnectorStatusPayload; ends with a newline. */
export function renderConnector(body: unknown, columns?: number): string {
  const it = payloadOf(body)
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

function summarize(body: unknown): string {
  const { value, active, held, changed } = payloadOf(body)
  const counts = `${cell(active)} active, ${cell(held)} held`
  return `${cell(value)}, ${changed === true ? 'changed' : 'unchanged'}, ${counts}`
}

type Given = { readonly immediate?: boolean }

const shown = { render: renderConnector, summarize } as const

export const defineConnector = defineCalls('connector', {
  status: {
    ...shown,
    description: 'show the state and the number of connections',
    request: () => callOf(connectorRoutes.connectorStatus),
  },
  online: {
    ...shown,
    description: 'accept and forward connections; release held ones in order',
    request: () => callOf(connectorRoutes.connectorOnline),
    question: (where) => `Let ${where} accept and forward connections?`,
  },
  onhold: {
    ...shown,
    description: 'accept new connections and hold them; existing ones continue',
    request: () => callOf(connectorRoutes.connectorOnhold),
    question: (where) =>
      `Let ${where} hold new connections? Applications wait; those over the time or number limit get an error. ` +
      'Existing connections continue.',
  },
  offline: {
    ...shown,
    description: 'refuse new connections and drain existing ones',
    option: new Option('--immediate', 'close existing connections at once'),
    request: ({ immediate }: Given) =>
      callOf(connectorRoutes.connectorOffline, {}, { query: immediate ? { immediate: 'true' } : {} }),
    question: (where, { immediate }: Given) =>
      `Take ${where} offline? New connections are refused at once; existing ones ` +
      `${immediate ? 'are closed at once' : 'get time to finish, then are closed'}.`,
  },
})
