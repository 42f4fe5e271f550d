import { clientsText } from '../../deployment/clientsText.ts'
import type { HostStatus } from '../../deployment/status.ts'
import { grouped } from '../grouped.ts'
import { paint } from './paint.ts'
import { whatFailed } from './whatFailed.ts'

type Cell = { readonly text: string; readonly tint?: 'red' | 'green' | 'yellow' }

const titles = ['HOST', 'COMPONENT', 'SERVICE', 'LISTENS ON', 'API', 'CERTIFICATE UNTIL', 'RELEASE']

/** One row per component, and one per host that could not be asked; below it clients' ports, then the reasons. */
export function statusText(hosts: readonly HostStatus[], colour: boolean): string {
  const style = paint(colour)
  const rows = hosts.flatMap(rowsOf)
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.text.length ?? 0)),
  )
  const line = (cells: readonly Cell[]): string =>
    cells
      .map(({ text, tint }, index) => {
        const padded = index === cells.length - 1 ? text : text.padEnd(widths[index] ?? 0)
        return tint === undefined ? padded : style[tint](padded)
      })
      .join('  ')
      .trimEnd()
  const reasons = hosts.flatMap((host) => [
    ...(host.detail === undefined ? [] : [`${host.host}: ${whatFailed(host.host, host.detail)}`]),
    ...host.components.flatMap(({ component, detail }) =>
      detail === undefined ? [] : [`${host.host}: ${component}: ${detail}`],
    ),
  ])
  const table = [style.dim(line(titles.map((text) => ({ text })))), ...rows.map(line)].join('\n')
  const clients = hosts.flatMap((host) =>
    host.components.flatMap((one) =>
      one.clients === undefined ? [] : [`${host.host}: ${clientsText(one.clients)}`],
    ),
  )
  const parts = [[table], clients, notesOf(hosts), reasons].filter((part) => part.length > 0)
  return `${parts.map((part) => part.join('\n')).join('\n\n')}\n`
}

/** What components leave undone, once for all hosts of which the same is said. */
const notesOf = (hosts: readonly HostStatus[]): readonly string[] =>
  grouped(
    hosts.flatMap(({ host, components }) =>
      components.flatMap(({ note }) => (note === undefined ? [] : [{ host, note }])),
    ),
    ({ note }) => note,
  ).map((same) => `note: ${same[0].note} (${same.map(({ host }) => host).join(', ')})`)

function rowsOf(host: HostStatus): Cell[][] {
  const name = { text: host.host }
  if (host.components.length === 0) {
    const tint = host.state === 'not-installed' ? 'yellow' : 'red'
    return [[name, { text: host.state.replace('-', ' '), tint }]]
  }
  return host.components.map(({ component, service, listen, api }) => [
    name,
    { text: component },
    { text: service, tint: service === 'running' ? 'green' : 'red' },
    { text: listen === null ? 'socket only' : `${listen.address}:${listen.port}` },
    { text: api, tint: api === 'silent' ? 'red' : 'green' },
    { text: host.certificateExpires?.slice(0, 10) ?? '' },
    { text: host.release ?? '' },
  ])
}
