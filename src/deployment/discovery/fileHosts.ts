import { type OutlineLine, remark } from '../../config/outline.ts'
import { allOptions, options } from '../../config/settings/options.ts'
import type { Setting } from '../../config/settings/setting.ts'
import type { Plain } from '../../config/types/type.ts'
import { type Component, components, defaultPorts } from '../../contracts/component.ts'
import { accountFor } from './accountCandidates.ts'
import type { DatabaseReport } from './databaseReport.ts'
import { describeHost } from './describeHost.ts'
import type { DiscoveredHost } from './discoveredHosts.ts'
import { componentsOf, type Placed } from './discoveredServices.ts'
import type { HostInstallation } from './discoverHost.ts'
import { installedComponents, installedOptions } from './installedOptions.ts'

/** A host that will be in the file, with its components and options. */
export type FileHost = {
  readonly host: DiscoveredHost
  readonly components: readonly Component[]
  readonly options: ReadonlyMap<string, Plain>
  readonly comments: readonly string[]
}

/** Returns true for a host with components of the cluster, whose settings could be read. */
export const isInstalled = (
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
export function addAccounts(hosts: readonly FileHost[]): {
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
export function splitOptions(
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

/** Gathers what the file will say of a host. */
export function fileHost(host: DiscoveredHost, placed: Placed): FileHost {
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
