import { isHostName, isLoopback } from '../../base/address.ts'
import { shortListOf } from '../../base/words.ts'
import type { DatabaseType } from '../../contracts/choices.ts'
import { hostFrom } from '../ini/iniNames.ts'
import {
  apiDefaults,
  databaseDefaults,
  type Outline,
  type OutlineHost,
  type OutlineLine,
  remark,
} from '../outline.ts'
import { hostAddressOf } from './connectionVariables.ts'
import type { Inventory, InventoryHost, InventoryProblem, InventorySsh } from './inventory.ts'
import { shownWord } from './inventory.ts'
import { type NamedInventoryHost, type PlacedHosts, placeHosts } from './placeHosts.ts'

type Options = {
  /** Name of the file, for its comments. */
  readonly source: string
  readonly cluster: string
  /** Instead of what the inventory says. */
  readonly user?: string
  readonly databases?: DatabaseType
}

/** Identifies a machine as the rules of the file do: loopback with a port of its own is a tunnel to another one. */
const machineOf = ({ ssh }: InventoryHost, address: string): string =>
  [address, isLoopback(address) || address === 'localhost' ? (ssh.port ?? 22) : '', ssh.jump ?? ''].join(' ')

/** Gives each host a name and an address that the file can have; the others are named in `notes`. */
function nameHosts(hosts: readonly InventoryHost[], notes: string[]): readonly NamedInventoryHost[] {
  // Names and addresses are compared as DNS does.
  const used = new Map<string, string>()
  const clash = (key: string): string | undefined => used.get(key.toLowerCase())
  const leaveOut = (host: InventoryHost, why: string): readonly [] => {
    notes.push(`The host ${shownWord(host.name)} was left out: ${why}`)
    return []
  }
  return hosts.flatMap((host) => {
    const from = hostFrom(host.name)
    const name = from.name.replaceAll('_', '-')
    if (!isHostName(name)) return leaveOut(host, 'this cannot be the name of a host.')
    const address = host.address ?? from.address ?? (isHostName(host.name) ? host.name : undefined)
    if (address === undefined || hostAddressOf(address) === undefined) {
      return leaveOut(host, 'it has no usable address.')
    }
    const same = clash(`name ${name}`)
    if (same !== undefined) return leaveOut(host, `${shownWord(same)} has the same name here.`)
    const machine = `address ${machineOf(host, address)}`
    const there = clash(machine)
    if (there !== undefined) return leaveOut(host, `${shownWord(there)} has the same address.`)
    used.set(`name ${name}`.toLowerCase(), host.name)
    used.set(machine.toLowerCase(), host.name)
    const isRenamed = name !== host.name && from.address === undefined
    const renamed = isRenamed ? [`In the inventory: ${shownWord(host.name)}.`] : []
    return [{ name, host: { ...host, address, notes: [...renamed, ...host.notes] } }]
  })
}

/** Members of `ssh` that all hosts have alike. */
function commonSsh(hosts: readonly NamedInventoryHost[]): InventorySsh {
  const [first, ...rest] = hosts
  const all = Object.entries(first?.host.ssh ?? {})
  return Object.fromEntries(
    all.filter(([key, value]) => rest.every(({ host }) => host.ssh[key as keyof InventorySsh] === value)),
  )
}

const sshNames = ['user', 'port', 'identity', 'jump', 'become'] as const

const sshLines = (ssh: InventorySsh, common: InventorySsh = {}): readonly OutlineLine[] =>
  sshNames.flatMap((name) => {
    const value = ssh[name]
    // become: false is the default, unless the hosts differ.
    const isDefault = name === 'become' && value === false
    return value === undefined || value === common[name] || isDefault ? [] : [{ name, value }]
  })

/** Says a note of many hosts once, with their names. */
function sharedNotes(hosts: readonly NamedInventoryHost[]): ReadonlyMap<string, readonly string[]> {
  const byText = new Map<string, string[]>()
  for (const { name, host } of hosts) {
    for (const note of host.notes) byText.set(note, [...(byText.get(note) ?? []), name])
  }
  return new Map([...byText].filter(([, names]) => names.length > 2))
}

function serviceLines(placed: PlacedHosts): readonly OutlineLine[] {
  const { topology, master, members, connectors, witnesses, comments } = placed
  const lists = { connectors, witnesses } as const
  return [
    { comments: comments.topology, name: 'topology', value: topology },
    { comments: comments.master, name: 'master', value: master },
    { comments: comments.members, name: 'members', value: members },
    ...(['connectors', 'witnesses'] as const).flatMap((name) =>
      lists[name].length === 0 ? [] : [{ comments: comments[name], name, value: lists[name] }],
    ),
  ]
}

const databaseLines = (type: DatabaseType | undefined): readonly OutlineLine[] =>
  type === undefined
    ? [
        remark(
          'An inventory does not say which database servers run. For them, set datasource-type, replication-user and monitor-user with their passwords; `muster explain monitor-user` prints the SQL. `muster discover HOST…` reads what runs.',
        ),
      ]
    : [
        ...databaseDefaults({
          type,
          replication: {
            user: 'muster',
            comments: [
              'muster has no rights in the databases: create both accounts yourself. `muster explain monitor-user` prints the SQL.',
            ],
          },
          monitor: { user: 'muster_monitor', comments: [] },
        }),
        {
          comments: ['Clients connect here; the connector forwards them to the primary, or to the replicas.'],
          name: 'application-address',
          value: '0.0.0.0',
        },
        { name: 'application-port', value: 9999 },
        { name: 'application-readonly-port', value: 9998 },
      ]

/** Most hosts of a list of the service: so many of one service are shown, and no cluster of databases is as large. */
const mostPlaced = 1000

/** Writes down the hosts of an inventory as a cluster of one service. */
export function outlineInventory(inventory: Inventory, options: Options): Outline | InventoryProblem {
  const { source, cluster, user, databases } = options
  const notes = [...inventory.notes]
  const all = nameHosts(inventory.hosts, notes)
  const placed = placeHosts(all)
  if (placed === undefined) {
    return {
      message:
        'No host of the inventory can be a member of a service: all that can be used are proxies or witnesses.',
      fix: 'Name a group `databases`, or choose other hosts with --limit.',
    }
  }
  const most = Math.max(placed.members.length, placed.connectors.length, placed.witnesses.length)
  if (most > mostPlaced) {
    return {
      message: `${most} hosts would be in one service, and a service has at most ${mostPlaced} here.`,
      fix: 'Choose the hosts of one cluster: --limit GROUP',
    }
  }
  const named = new Set([...placed.members, ...placed.connectors, ...placed.witnesses])
  const chosen = all
    .filter(({ name }) => named.has(name))
    .map(({ name, host }) => ({
      name,
      host: user === undefined ? host : { ...host, ssh: { ...host.ssh, user } },
    }))
  const common = commonSsh(chosen)
  const shared = sharedNotes(chosen)
  const isOneLocal = chosen.filter(({ host }) => host.local).length === 1
  const hosts = chosen.map((one): OutlineHost => {
    const { name, host } = one
    const own = host.notes.filter((note) => !shared.has(note))
    const several = host.local && !isOneLocal
    return {
      name,
      comments: [
        ...own,
        ...(several
          ? ['Not sure: several hosts are this machine in the inventory; here each is reached over SSH.']
          : []),
      ],
      lines: [
        { name: 'address', value: host.address ?? name },
        ...(host.local && isOneLocal ? [{ name: 'connection', value: 'local' }] : []),
      ],
      ssh: sshLines(host.ssh, common),
      options: [],
    }
  })
  const users = new Set(chosen.map(({ host }) => host.ssh.user))
  const needsSudo = chosen.some(({ host }) => host.ssh.become === undefined && host.ssh.user !== 'root')
  const left = placed.without
  return {
    head: [
      `Created by muster init from ${shownWord(source)}, ${inventory.kind}. Comments name what was not sure and what could not be carried over.`,
      ...notes,
      ...[...shared].map(([note, names]) => `${shortListOf(names, 6)}: ${note}`),
      ...(left.length === 0
        ? []
        : [`Left out, since their groups are named after no role: ${shortListOf(left, 12)}.`]),
    ],
    cluster,
    defaults: [...apiDefaults, ...databaseLines(databases)],
    ssh: [
      ...(users.has(undefined)
        ? [remark('Where no user is given, ssh decides, as ~/.ssh/config says.')]
        : []),
      ...(needsSudo
        ? [
            remark(
              'Not sure: the inventory does not say whether the login becomes root by sudo. Where it does, set become: true.',
            ),
          ]
        : []),
      ...sshLines(common),
    ],
    services: [{ name: cluster, lines: serviceLines(placed) }],
    hosts,
    tail: [],
  }
}
