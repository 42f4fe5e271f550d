import { clientsText, type HostStatus } from '../../deployment/hostStatus.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import { type Layout, type Row, tableLines } from '../table.ts'
import { withoutHostName } from './failureText.ts'

const titles = ['HOST', 'COMPONENT', 'SERVICE', 'LISTENS ON', 'API', 'CERTIFICATE UNTIL', 'RELEASE']

/** Writes one row per component, and one per unreachable host; below it the ports for clients, then the reasons. */
export function componentsText(hosts: readonly HostStatus[], layout: Layout): readonly string[] {
  const reasons = hosts.flatMap((host) => [
    ...(host.detail === undefined ? [] : [`${host.host}: ${withoutHostName(host.host, host.detail)}`]),
    ...host.components.flatMap(({ component, detail, ready, reason }) => [
      ...(detail === undefined ? [] : [`${host.host}: ${component}: ${detail}`]),
      ...(ready === false ? [`${host.host}: ${component} is not ready: ${reason}`] : []),
    ]),
  ])
  const table = tableLines({ titles, rows: hosts.flatMap(rowsOf), ...layout })
  const clients = hosts.flatMap((host) =>
    host.components.flatMap((one) =>
      one.clients === undefined ? [] : [`${host.host}: ${clientsText(one.clients)}`],
    ),
  )
  const parts = [table, clients, notesOf(hosts), reasons].filter((part) => part.length > 0)
  return parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/**
 * Lists the limits of components, once for all hosts with the same one; these are named unless they are all.
 */
function notesOf(hosts: readonly HostStatus[]): readonly string[] {
  const shown = hosts.filter(({ components }) => components.length > 0)
  const groups = groupBy(
    hosts.flatMap(({ host, components }) =>
      components.flatMap(({ note }) => (note === undefined ? [] : [{ host, note }])),
    ),
    ({ note }) => note,
  )
  return groups.map((same) => {
    const where = same.length === shown.length ? '' : ` (${same.map(({ host }) => host).join(', ')})`
    return `note: ${same[0].note}${where}`
  })
}

function rowsOf(host: HostStatus): readonly Row[] {
  const name = host.host
  if (host.components.length === 0) {
    const tint = host.state === 'not-installed' ? 'yellow' : 'red'
    return [[name, { text: host.state.replace('-', ' '), tint }]]
  }
  return host.components.map(({ component, service, listen, api, ready }) => [
    name,
    component,
    { text: service, tint: service === 'running' ? 'green' : 'red' },
    listen === null ? 'socket only' : `${listen.address}:${listen.port}`,
    ready === false
      ? { text: 'not ready', tint: 'yellow' }
      : { text: api, tint: api === 'silent' ? 'red' : 'green' },
    host.certificateExpires?.slice(0, 10) ?? '',
    host.release ?? '',
  ])
}
