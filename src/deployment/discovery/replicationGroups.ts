import { addressAndPort, canonicalAddress, isLoopback } from '../../base/address.ts'
import { listOf } from '../../base/words.ts'
import type { DatabaseReport } from './databaseReport.ts'

/** A host with its database server. */
export type DatabaseHost = {
  readonly name: string
  /** Its address, and its name if it has one, as the operator gave them. */
  readonly given: readonly string[]
  /** Further names and addresses, as the host says. */
  readonly aliases: readonly string[]
  readonly database: DatabaseReport
}

/** Hosts that replicate with each other, in the order given. */
type ReplicationGroup = {
  readonly members: readonly string[]
  readonly primary: string
  /** Sentences about the primary, where it is not sure. */
  readonly doubts: readonly string[]
}

/** Replication between the discovered hosts. */
export type Replication = {
  readonly groups: readonly ReplicationGroup[]
  /** Sentences about the replication of a host, by its name. */
  readonly notes: ReadonlyMap<string, readonly string[]>
}

const lower = (text: string): string => (canonicalAddress(text) ?? text).toLowerCase()

/** Finds the host that a source is: by what the operator gave, else by what a single host says of itself. */
function hostOf(
  hosts: readonly DatabaseHost[],
  { host, port, serverId }: DatabaseReport['channels'][number]['source'],
): { readonly found?: DatabaseHost; readonly doubt?: string } {
  const wanted = lower(host)
  const here = hosts.filter(({ database }) => database.port === port)
  const given = here.filter((one) => one.given.some((text) => lower(text) === wanted))
  const said = here.filter(({ aliases }) => aliases.some((one) => lower(one) === wanted))
  const candidates = given.length > 0 ? given : said
  const [found] = candidates
  if (found === undefined) return {}
  if (candidates.length > 1) {
    return { doubt: `${listOf(candidates.map(({ name }) => name))} all say that they are ${host}` }
  }
  if (serverId !== undefined && serverId !== found.database.serverId) {
    return { doubt: `${found.name} has server_id ${found.database.serverId}, but the source has ${serverId}` }
  }
  return { found }
}

/** Derives from the channels of all servers who follows whom, and names what does not fit together. */
export function replicationOf(hosts: readonly DatabaseHost[]): Replication {
  const sources = new Map<string, Set<string>>(hosts.map(({ name }) => [name, new Set<string>()]))
  const outside = new Set<string>()
  const notes = new Map<string, string[]>(hosts.map(({ name }) => [name, []]))
  for (const host of hosts) {
    const note = (text: string): void => void notes.get(host.name)?.push(text)
    for (const channel of host.database.channels) {
      const place = addressAndPort(channel.source.host, channel.source.port)
      const named = channel.name === '' ? '' : ` (channel ${channel.name})`
      const { found, doubt } = hostOf(hosts, channel.source)
      const how = `${channel.gtid ? 'by GTID' : 'by positions in the binary log'}${named}`
      if (found !== undefined && found !== host) {
        sources.get(host.name)?.add(found.name)
        note(
          channel.running
            ? `It follows ${found.name} ${how}.`
            : `Not sure: it follows ${found.name} ${how}, but its replication does not run.`,
        )
        continue
      }
      outside.add(host.name)
      if (doubt !== undefined) note(`Not sure: it follows ${place} ${how}, and ${doubt}.`)
      else if (isLoopback(channel.source.host) || found === host)
        note(`Not sure: it follows ${place} ${how}, which is itself or a tunnel.`)
      else
        note(
          `Not sure: it follows ${place} ${how}, which is no host of this list. To add it: muster discover … ${channel.source.host}`,
        )
    }
  }
  const groups = components(hosts, sources).map((members) => groupOf(members, { sources, outside }))
  return { groups, notes }
}

/** Returns the hosts that are connected by replication, in the order given. */
function components(
  hosts: readonly DatabaseHost[],
  sources: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly DatabaseHost[])[] {
  const group = new Map<string, number>(hosts.map(({ name }, index) => [name, index]))
  for (const [name, of] of sources) {
    for (const source of of) {
      const [one, other] = [group.get(name), group.get(source)]
      for (const [key, value] of group) if (value === other && one !== undefined) group.set(key, one)
    }
  }
  return [...new Set(group.values())].map((one) => hosts.filter(({ name }) => group.get(name) === one))
}

function groupOf(
  members: readonly DatabaseHost[],
  known: {
    readonly sources: ReadonlyMap<string, ReadonlySet<string>>
    readonly outside: ReadonlySet<string>
  },
): ReplicationGroup {
  const { sources, outside } = known
  const names = members.map(({ name }) => name)
  const [first = ''] = names
  const roots = members.filter(({ name }) => sources.get(name)?.size === 0)
  const writable = (of: readonly DatabaseHost[]) => of.filter(({ database }) => !database.readOnly)
  const [root] = roots
  if (root !== undefined && roots.length === 1) {
    const others = writable(members).filter((one) => one !== root)
    return {
      members: names,
      primary: root.name,
      doubts: [
        ...(outside.has(root.name)
          ? [
              `Not sure: ${root.name} itself follows a server that is not in this list, which may be the primary.`,
            ]
          : []),
        ...(root.database.readOnly
          ? [`Not sure: ${root.name} takes no writes (read_only), though the others follow it.`]
          : []),
        ...(others.length > 0
          ? [
              `${listOf(others.map(({ name }) => name))} can be written, too (read_only is OFF); replicas should not.`,
            ]
          : []),
      ],
    }
  }
  const candidates = roots.length > 1 ? roots : members
  const [only, ...more] = writable(candidates)
  const why =
    roots.length > 1
      ? `${listOf(roots.map(({ name }) => name))} follow nobody, and others follow each of them: two primaries`
      : `${listOf(names)} follow each other in a circle`
  if (only !== undefined && more.length === 0) {
    return {
      members: names,
      primary: only.name,
      doubts: [`Not sure: ${why}; ${only.name} is the only one that takes writes.`],
    }
  }
  return {
    members: names,
    primary: candidates[0]?.name ?? first,
    doubts: [`Conflict: ${why}. Decide which one is the primary; here it is only the first.`],
  }
}
