import { counted, shortListOf } from '../../base/words.ts'
import { type Outline, type OutlineLine, remark } from '../../config/outline.ts'
import { allOptions, options } from '../../config/settings/options.ts'
import type { Setting } from '../../config/settings/setting.ts'
import type { Plain } from '../../config/types/type.ts'
import type { AccessLevel } from '../../contracts/accessLevels.ts'
import { type Component, components, defaultPorts } from '../../contracts/component.ts'
import { installedUsers } from '../installedUsers.ts'
import { accountFor } from './accountCandidates.ts'
import type { DatabaseReport } from './databaseReport.ts'
import { describeHost } from './describeHost.ts'
import type { DiscoveredHost, GivenHost } from './discoveredHosts.ts'
import { componentsOf, type DiscoveredService, type Placed, placeDiscovered } from './discoveredServices.ts'
import type { HostInstallation } from './discoverHost.ts'
import { installedComponents, installedOptions } from './installedOptions.ts'

/** How the command reached the hosts, for the group `ssh`. */
export type DiscoverySsh = {
  readonly user?: string
  readonly become: boolean
  readonly config?: string
}

/** A host that will be in the file, with its components and options. */
type FileHost = {
  readonly host: DiscoveredHost
  readonly components: readonly Component[]
  readonly options: ReadonlyMap<string, Plain>
  readonly comments: readonly string[]
}

/** Returns true for a host with components of the cluster, whose settings could be read. */
const isInstalled = (
  host: DiscoveredHost,
): host is DiscoveredHost & { readonly installation: HostInstallation } =>
  host.installation !== undefined && installedComponents(host.installation).settings.size > 0

const reportOf = ({ database }: DiscoveredHost): DatabaseReport | undefined =>
  database === undefined || typeof database === 'string' ? undefined : database

/** Finds a port for an API that nothing listens on there. */
function freePort(host: DiscoveredHost, port: number): number {
  const taken = new Set(host.listeners.map((listener) => listener.port))
  if (!taken.has(port)) return port
  let free = port + 10_000
  while (taken.has(free)) free += 1
  return free
}

/** Options of a host on which the cluster is not installed yet. */
function freshOptions(
  host: DiscoveredHost,
  own: readonly Component[],
): Pick<FileHost, 'options' | 'comments'> {
  const chosen = new Map<string, Plain>()
  const comments: string[] = []
  for (const component of own) {
    const { port, address } = options.api[component]
    const free = freePort(host, defaultPorts[component])
    chosen.set(address.name, '0.0.0.0')
    if (free === defaultPorts[component]) continue
    chosen.set(port.name, free)
    comments.push(`Port ${defaultPorts[component]} is in use there, so ${port.name} is another one.`)
  }
  if (!own.includes('replicator')) return { options: chosen, comments }
  const database = reportOf(host)
  const type = database?.type ?? (host.programs.has('mariadbd') ? 'mariadb' : 'mysql')
  chosen.set(options.database.type.name, type)
  if (database !== undefined && database.port !== options.database.port.default && database.port > 0) {
    chosen.set(options.database.port.name, database.port)
  }
  return { options: chosen, comments }
}

/** Adds the accounts to hosts that are not installed yet, where one user suits on all servers. */
function addAccounts(hosts: readonly FileHost[]): {
  readonly hosts: readonly FileHost[]
  /** About accounts that were not found. */
  readonly remarks: readonly OutlineLine[]
  /** About those that were found, by option. */
  readonly comments: ReadonlyMap<string, readonly string[]>
} {
  const fresh = hosts.filter(({ host }) => !isInstalled(host))
  const databases = hosts.flatMap(({ host, components: own }) =>
    own.includes('replicator') ? (reportOf(host) ?? []) : [],
  )
  if (fresh.length === 0 || databases.length === 0) return { hosts, remarks: [], comments: new Map() }
  const found = (['replication', 'monitor'] as const).map((which) => ({
    which,
    ...accountFor(which, databases),
  }))
  const remarks = found.flatMap(({ account, comments }) =>
    account === undefined ? [remark(...comments)] : [],
  )
  const added = new Map(
    found.flatMap(({ which, account }) =>
      account === undefined ? [] : [[`${which}-user`, account.user] as const],
    ),
  )
  const comments = new Map(
    found.flatMap(({ which, account }) =>
      account === undefined ? [] : [[`${which}-user`, account.comments] as const],
    ),
  )
  return {
    remarks,
    comments,
    hosts: hosts.map((one) => {
      if (isInstalled(one.host)) return one
      const chosen = new Map(one.options)
      if (one.components.includes('replicator')) setAll(chosen, added, 'replication-user')
      if (one.components.includes('manager')) setAll(chosen, added, 'monitor-user')
      return { ...one, options: chosen }
    }),
  }
}

function setAll(chosen: Map<string, Plain>, added: ReadonlyMap<string, string>, name: string): void {
  const user = added.get(name)
  if (user !== undefined) chosen.set(name, user)
}

/** Returns true for a host that an option can apply to. */
const applies = ({ component }: Setting<unknown>, own: readonly Component[]): boolean =>
  component === undefined || own.includes(component)

/** Lines of an option, and of the password that belongs to it. */
function optionLines(
  setting: Setting<unknown>,
  value: Plain,
  comments: readonly string[] = [],
): readonly OutlineLine[] {
  const line = { comments, name: setting.name, value }
  const password = ['replication', 'monitor'].find((which) => setting.name === `${which}-user`)
  if (password === undefined) return [line]
  const variable = `${password.toUpperCase()}_PASSWORD`
  return [line, { name: `${password}-password`, value: { tag: 'env', variable } }]
}

/** Splits the options into those that all hosts have alike and those of single hosts. */
function splitOptions(
  hosts: readonly FileHost[],
  comments: ReadonlyMap<string, readonly string[]>,
): {
  readonly defaults: readonly OutlineLine[]
  readonly own: ReadonlyMap<string, readonly OutlineLine[]>
} {
  const defaults: OutlineLine[] = []
  const own = new Map<string, OutlineLine[]>(hosts.map(({ host }) => [host.name, []]))
  for (const setting of allOptions) {
    const here = hosts.filter((one) => applies(setting, one.components))
    const values = here.map((one) => one.options.get(setting.name))
    const [first] = values
    const isSame = values.every((value) => JSON.stringify(value) === JSON.stringify(first))
    if (first !== undefined && isSame) {
      defaults.push(...optionLines(setting, first, comments.get(setting.name)))
      continue
    }
    for (const one of here) {
      const value = one.options.get(setting.name)
      if (value !== undefined)
        own.get(one.host.name)?.push(...optionLines(setting, value, comments.get(setting.name)))
    }
  }
  return { defaults, own }
}

type ApiUser = { readonly user: string; readonly access: AccessLevel }

/** Returns the users that all installations have alike: none of them gives a user of the others more than they do. */
function commonUsers(hosts: readonly DiscoveredHost[]): {
  readonly users: readonly ApiUser[]
  /** Names of those that are not the same everywhere. */
  readonly different: readonly string[]
} {
  const files = hosts.flatMap(({ installation }) => installation?.installed.installation.users ?? [])
  const lists = files.map((file) =>
    installedUsers(file)
      .filter(({ user }) => /^[\w.@-]{1,128}$/.test(user))
      .slice(0, 200),
  )
  const levels = lists.map((list) => new Map(list.map(({ user, access }) => [user, access])))
  const [first] = levels
  const names = [...new Set(lists.flatMap((list) => list.map(({ user }) => user)))]
  const users = names.flatMap((user) => {
    const access = first?.get(user)
    return access !== undefined && levels.every((one) => one.get(user) === access) ? [{ user, access }] : []
  })
  const common = new Set(users.map(({ user }) => user))
  return { users, different: names.filter((name) => !common.has(name)) }
}

/** Lines about the users of the APIs; the names come from the installation. */
function userLines(hosts: readonly DiscoveredHost[]): readonly OutlineLine[] {
  const { users, different } = commonUsers(hosts)
  const conflict =
    different.length === 0
      ? []
      : [
          remark(
            `Conflict: not every installation has these users, or with the same access: ${shortListOf(different, 8)}. Name those that you know under rest-api-users.`,
          ),
        ]
  const admin =
    users.find(({ user, access }) => user === 'admin' && access === 'full') ??
    users.find(({ access }) => access === 'full')
  if (admin === undefined) {
    return [
      ...conflict,
      {
        comments: [
          'The administrator of every API. Without a password, muster generates one, keeps it in .muster/ beside this file and shows it once.',
        ],
        name: options.adminUser.name,
        value: 'admin',
      },
    ]
  }
  const others = users.filter((one) => one !== admin)
  return [
    ...conflict,
    {
      comments: [
        'Hosts have only hashes. Without its password here, the one on the hosts stays as it is, and no login can be verified: rest-api-admin-pass: !env ADMIN_PASS',
      ],
      name: options.adminUser.name,
      value: admin.user,
    },
    ...(others.length === 0
      ? []
      : [
          {
            name: options.users.name,
            value: Object.fromEntries(others.map(({ user, access }) => [user, { access }])),
          },
        ]),
  ]
}

const serviceLines = ({
  topology,
  master,
  members,
  connectors,
  witnesses,
  comments,
}: DiscoveredService): readonly OutlineLine[] => [
  { comments: comments.service, name: 'topology', value: topology },
  { comments: comments.master, name: 'master', value: master },
  { name: 'members', value: members },
  ...(connectors.length > 0 ? [{ name: 'connectors', value: connectors }] : [remark(...comments.connectors)]),
  ...(witnesses.length > 0 ? [{ name: 'witnesses', value: witnesses }] : []),
]

/** State of an installation that is on no host. */
const stateElsewhere = (cluster: string): readonly string[] => [
  `muster is installed there. The key of its certificate authority and generated passwords are on no host, but in .muster/${cluster}/ beside the file of whoever installed it. Bring them here with \`muster state export\` and \`muster state import\`: without them \`muster plan\` and \`muster install\` refuse, since clients trust that authority.`,
  'If they are lost for good, `muster uninstall` with this file and a new installation give the hosts a new authority; databases are not touched. Keystores of your own (java-tls-keystore-path) must be named again.',
]

/** Writes down what was discovered as a cluster; undefined if there is nothing that a service could have. */
export function outlineDiscovery(given: {
  readonly cluster: string
  readonly hosts: readonly DiscoveredHost[]
  /** Hosts that were not read, as the operator named them, and why not. */
  readonly failed: readonly { readonly address: string; readonly reason: string }[]
  readonly ssh: DiscoverySsh
  readonly connection?: 'ssh' | 'local'
}): Outline | undefined {
  const { cluster, hosts, failed, ssh, connection } = given
  const placed = placeDiscovered(hosts, cluster)
  if (placed.services.length === 0) return undefined
  const chosen = hosts
    .filter(({ name }) => !placed.left.includes(name))
    .map((host): FileHost => fileHost(host, placed))
  const accounts = addAccounts(chosen)
  const split = splitOptions(accounts.hosts, accounts.comments)
  const installed = chosen.some(({ host }) => isInstalled(host))
  return {
    head: [
      `Created by muster discover from ${counted(hosts.length, 'host')}. Comments name what was not sure. Passwords are not read: set each variable that !env names, or name a file with !file.`,
      ...(installed ? stateElsewhere(cluster) : []),
    ],
    cluster,
    defaults: [...userLines(hosts), ...accounts.remarks, ...split.defaults],
    ssh: sshLines(ssh),
    services: placed.services.map((service) => ({ name: service.name, lines: serviceLines(service) })),
    hosts: accounts.hosts.map(({ host, comments }) => ({
      name: host.name,
      comments,
      lines: [
        { name: 'address', value: host.given.address },
        ...(connection === 'local' ? [{ name: 'connection', value: connection }] : []),
      ],
      ssh: ownSsh(host.given, ssh),
      options: split.own.get(host.name) ?? [],
    })),
    tail: [
      ...placed.left.map(
        (name) => `${name} was left out: neither a database server nor a proxy was found there.`,
      ),
      ...failed.map(({ address, reason }) => `${address} was not read: ${reason}`),
    ],
  }
}

function fileHost(host: DiscoveredHost, placed: Placed): FileHost {
  const own = components.filter((component) => componentsOf(placed.services, host.name).includes(component))
  const { options: chosen, comments } = isInstalled(host)
    ? { options: installedOptions(host.installation, host.systemd), comments: [] }
    : freshOptions(host, own)
  return {
    host,
    components: own,
    options: chosen,
    comments: [...describeHost(host), ...(placed.notes.get(host.name) ?? []), ...host.notes, ...comments],
  }
}

/** Lines of the group `ssh`. */
export const sshLines = ({ user, become, config }: DiscoverySsh): readonly OutlineLine[] => [
  ...(user === undefined ? [] : [{ name: 'user', value: user }]),
  ...(become ? [{ name: 'become', value: true }] : []),
  ...(config === undefined ? [] : [{ name: 'config', value: config }]),
]

const ownSsh = ({ user, port }: GivenHost, ssh: DiscoverySsh): readonly OutlineLine[] => [
  ...(user === undefined || user === ssh.user ? [] : [{ name: 'user', value: user }]),
  ...(port === undefined ? [] : [{ name: 'port', value: port }]),
]
