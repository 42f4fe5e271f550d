import { addressAndPort } from '../../base/address.ts'
import { connectorWords, sourceWords, type Topology, type TopologySource } from './topology.ts'

/** Writes a topology as a Mermaid flowchart: clients to the writer, and each data source to its followers. */
export function graphMermaid({ name, services, others, isLive }: Topology): string {
  let nodes = 0
  const node = (): string => {
    nodes += 1
    return `n${nodes}`
  }
  const lines = [`%% cluster ${label(name)}`, 'flowchart LR']
  for (const service of services) {
    lines.push(`  subgraph ${node()}["${label(service.name)}"]`)
    const ids = new Map<string, string>()
    const add = ({ source, followers }: TopologySource, leader: string | undefined): void => {
      const id = node()
      ids.set(source.name, id)
      const place = addressAndPort(source.host, source.port)
      lines.push(
        `    ${id}[("${[source.name, sourceWords(source, isLive), place].map(label).join('<br>')}")]`,
      )
      if (leader !== undefined) lines.push(`    ${leader} -->|replicates| ${id}`)
      for (const follower of followers) add(follower, id)
    }
    for (const root of service.roots) add(root, undefined)
    const writer = service.writer === null ? undefined : ids.get(service.writer)
    for (const connector of service.connectors) {
      const id = node()
      const words = [`connector of ${connector.host}`, connector.clients.readWrite]
      if (isLive) words.push(connectorWords(connector))
      lines.push(`    ${id}(["${words.map(label).join('<br>')}"])`)
      if (writer !== undefined) lines.push(`    ${id} -->|writes| ${writer}`)
    }
    lines.push('  end')
  }
  for (const host of others) lines.push(`  ${node()}["${label(host)}"]`)
  return `${lines.join('\n')}\n`
}

/** Writes all that Mermaid could take for its own as entity codes. */
const label = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N} .,_-]/gu, (letter) => `#${letter.codePointAt(0)};`)
