import { isHostName } from '../../base/address.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import type { Component } from '../../contracts/component.ts'
import type { DiscoveredHost } from './discoveredHosts.ts'
import { type IniService, iniServiceOf } from './iniService.ts'
import { type InstalledComponents, installedComponents } from './installedOptions.ts'
import { type DatabaseHost, type Replication, replicationOf } from './replicationGroups.ts'

/** A service to write down, with the sentences above its primary and its lists. */
export type DiscoveredService = {
  readonly name: string
  readonly topology: 'clustered' | 'replicator'
  readonly master: string
  readonly members: readonly string[]
  readonly connectors: readonly string[]
  readonly witnesses: readonly string[]
  readonly comments: {
    readonly service: readonly string[]
    readonly master: readonly string[]
    readonly connectors: readonly string[]
  }
}

type Draft = {
  topology: 'clustered' | 'replicator'
  master: string | undefined
  readonly members: Set<string>
  readonly connectors: Set<string>
  readonly witnesses: Set<string>
  readonly notes: string[]
  readonly doubts: string[]
}

const draft = (): Draft => ({
  topology: 'clustered',
  master: undefined,
  members: new Set(),
  connectors: new Set(),
  witnesses: new Set(),
  notes: [],
  doubts: [],
})

/** Places of all hosts, and sentences about single ones. */
export type Placed = {
  readonly services: readonly DiscoveredService[]
  /** Hosts that have no place. */
  readonly left: readonly string[]
  readonly notes: ReadonlyMap<string, readonly string[]>
}

const proxies = ['maxscale', 'proxysql', 'haproxy', 'mysqlrouter'] as const

const databaseHosts = (hosts: readonly DiscoveredHost[]): readonly DatabaseHost[] =>
  hosts.flatMap(({ name, given, hostname, addresses, database }) =>
    database === undefined || typeof database === 'string'
      ? []
      : [
          {
            name,
            given: [given.address, ...(given.name === undefined ? [] : [given.name])],
            // Without a name from the operator, the name is one that the host says.
            aliases: [name, hostname, ...addresses],
            database,
          },
        ],
  )

/** Adds what the installations say: the services map of the managers, and the place of each host. */
function addInstalled(
  services: Map<string, Draft>,
  hosts: readonly { readonly name: string; readonly settings: InstalledComponents }[],
  fallback: string,
): void {
  const serviceOf = (name: string): Draft => {
    const one = services.get(name) ?? draft()
    services.set(name, one)
    return one
  }
  const known = new Set(hosts.map(({ name }) => name))
  const maps = hosts.flatMap(({ name, settings }) => {
    const map = settings.get('manager')?.services ?? settings.get('connector')?.services
    return map === undefined ? [] : [{ name, text: JSON.stringify(map.services), services: map.services }]
  })
  const [first] = maps
  for (const { name, datasources } of first?.services ?? []) {
    if (!isHostName(name)) continue
    const service = serviceOf(name)
    const missing = datasources.filter((one) => !known.has(one.name)).map((one) => one.name)
    for (const { name: host, role } of datasources) {
      if (!known.has(host)) continue
      service.members.add(host)
      if (role === 'primary') service.master = host
    }
    if (missing.length > 0) {
      service.notes.push(
        `Also installed with ${shortListOf(missing, 8)}, which ${missing.length === 1 ? 'is' : 'are'} not in this list: run muster discover again with all hosts.`,
      )
    }
    const different = maps.filter(({ text }) => text !== first?.text).map((one) => one.name)
    if (different.length > 0 && first !== undefined) {
      service.notes.push(
        `Conflict: ${listOf(different)} ${different.length === 1 ? 'has' : 'have'} another services map than ${first.name}.`,
      )
    }
  }
  for (const { name, settings } of hosts) addPlace(name, settings, { serviceOf, fallback, services })
}

function addPlace(
  name: string,
  settings: InstalledComponents,
  at: {
    readonly serviceOf: (name: string) => Draft
    readonly fallback: string
    readonly services: ReadonlyMap<string, Draft>
  },
): void {
  const { serviceOf, fallback, services } = at
  const valid = (service: string | undefined): string =>
    service !== undefined && isHostName(service) ? service : ([...services.keys()][0] ?? fallback)
  const manager = settings.get('manager')
  const replicator = settings.get('replicator')
  const connector = settings.get('connector')
  if (manager !== undefined) {
    const service = serviceOf(valid(manager.member?.service))
    if (manager.member?.witness === true) service.witnesses.add(name)
    else service.members.add(name)
  } else if (replicator !== undefined) {
    const service = serviceOf(valid(replicator.database?.service))
    service.members.add(name)
    service.topology = 'replicator'
  }
  if (connector !== undefined) serviceOf(valid(connector.proxy?.service)).connectors.add(name)
}

/** Decides which service each host is in, and as what. */
export function placeDiscovered(hosts: readonly DiscoveredHost[], cluster: string): Placed {
  const services = new Map<string, Draft>()
  const installed = hosts.flatMap(({ name, installation }) =>
    installation === undefined ? [] : [{ name, settings: installedComponents(installation).settings }],
  )
  addInstalled(services, installed, cluster)
  const placed = (): ReadonlySet<string> =>
    new Set(
      [...services.values()].flatMap(({ members, connectors, witnesses }) => [
        ...members,
        ...connectors,
        ...witnesses,
      ]),
    )
  const replication = replicationOf(databaseHosts(hosts))
  const notes = new Map<string, string[]>([...replication.notes].map(([name, own]) => [name, [...own]]))
  const note = (name: string, text: string): void => void notes.set(name, [...(notes.get(name) ?? []), text])
  const inis = new Map(hosts.map((host) => [host.name, iniServiceOf(host, hosts)] as const))
  addReplication(services, {
    replication,
    installed: installed.length > 0,
    cluster,
    inis,
    isPlaced: (name) => placed().has(name),
  })

  const left: string[] = []
  for (const { name, database, programs } of hosts) {
    if (placed().has(name)) continue
    const [first] = services.values()
    const running = proxies.filter((one) => programs.has(one))
    const ini = inis.get(name)
    if (typeof database === 'string') {
      const service = first ?? draft()
      if (first === undefined) services.set(cluster, service)
      service.members.add(name)
      note(name, `Not sure: a database server runs there, but ${database}. Who follows whom is not known.`)
    } else if (first !== undefined && (running.length > 0 || ini?.connectors.includes(name))) {
      first.connectors.add(name)
      if (running.length > 0) note(name, `Not sure: ${listOf(running)} runs there, so it is a connector.`)
    } else left.push(name)
  }
  // A service needs a member; without one its hosts have no place.
  const found = [...services].filter(([, { members }]) => members.size > 0)
  const homeless = [...services].flatMap(([, { members, connectors, witnesses }]) =>
    members.size > 0 ? [] : [...connectors, ...witnesses],
  )
  const used = new Set(
    found.flatMap(([, { members, connectors, witnesses }]) => [...members, ...connectors, ...witnesses]),
  )
  return {
    services: found.map(([name, one]) => finished(name, one, hosts)),
    left: [...new Set([...left, ...homeless])].filter((name) => !used.has(name)),
    notes,
  }
}

/** Adds the groups that replicate with each other: to the service of an installed member, else as a service. */
function addReplication(
  services: Map<string, Draft>,
  options: {
    readonly replication: Replication
    readonly installed: boolean
    readonly cluster: string
    readonly inis: ReadonlyMap<string, IniService | undefined>
    readonly isPlaced: (name: string) => boolean
  },
): void {
  const { replication, cluster, inis, isPlaced } = options
  for (const { members, primary, doubts } of replication.groups) {
    const there = [...services].find(([, service]) => members.some((name) => service.members.has(name)))
    const service = there?.[1] ?? draft()
    const ini = members.map((name) => inis.get(name)).find((one) => one !== undefined)
    if (there === undefined) {
      const wanted = ini?.service ?? cluster
      let name = wanted
      for (let number = 2; services.has(name); number += 1) name = `${wanted}-${number}`
      services.set(name, service)
      if (services.size > 1 && members.length === 1) {
        service.notes.push(
          'Not sure: it replicates with no other host of this list, so it is a service of its own.',
        )
      }
      for (const connector of ini?.connectors ?? [])
        if (!isPlaced(connector)) service.connectors.add(connector)
    } else {
      const added = members.filter((name) => !service.members.has(name))
      if (added.length > 0)
        service.notes.push(`Not installed yet, but in replication with the others: ${listOf(added)}.`)
    }
    for (const name of members) service.members.add(name)
    service.doubts.push(...doubts)
    if (service.master !== undefined && service.master !== primary) {
      service.doubts.push(
        `Conflict: it was installed with ${service.master} as the primary, but replication has ${primary}.`,
      )
    }
    service.master ??= primary
    if (ini?.master !== undefined && ini.master !== primary) {
      service.doubts.push(
        `Conflict: tungsten.ini has ${ini.master} as the master, but replication has ${primary}.`,
      )
    }
  }
}

function finished(
  name: string,
  { topology, master, members, connectors, witnesses, notes, doubts }: Draft,
  hosts: readonly DiscoveredHost[],
): DiscoveredService {
  const inOrder = (names: ReadonlySet<string>): readonly string[] =>
    hosts.flatMap((host) => (names.has(host.name) ? [host.name] : []))
  const listed = inOrder(members)
  const [first = ''] = listed
  const isClustered = topology === 'clustered'
  return {
    name,
    topology,
    master: master ?? first,
    members: listed,
    connectors: isClustered ? inOrder(connectors) : [],
    witnesses: isClustered ? inOrder(witnesses).filter((host) => !members.has(host)) : [],
    comments: {
      service: notes,
      master:
        master === undefined && listed.length > 1
          ? ['Not sure: the primary is not known; this is the first member.']
          : doubts,
      connectors:
        isClustered && connectors.size === 0
          ? [
              `No proxy was found. Connectors forward clients to the primary and the replicas: connectors: [${listed.join(', ')}]`,
            ]
          : [],
    },
  }
}

/** Returns the components that a host gets by its places. */
export function componentsOf(services: readonly DiscoveredService[], host: string): readonly Component[] {
  const found = new Set<Component>()
  for (const { topology, members, connectors, witnesses } of services) {
    if (members.includes(host)) found.add('replicator')
    if (topology === 'clustered' && (members.includes(host) || witnesses.includes(host))) found.add('manager')
    if (connectors.includes(host)) found.add('connector')
  }
  return [...found]
}
