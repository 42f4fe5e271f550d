import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { hasDatabase, memberNames } from '../resolve/dataSources.ts'
import { topologyOf } from '../resolve/placements.ts'
import { bySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'
import type { Given, Setting } from '../settings/setting.ts'
import type { ServiceDraft } from '../shape/draft.ts'

type Part = {
  readonly setting: Setting<unknown>
  readonly given: Given | undefined
  readonly example: string
}
type Incomplete = {
  readonly span: Span
  readonly host: string
  readonly given: string
  readonly missing: Part[]
}

const lost = {
  replicator: 'Without it the replicator has no database: it lists no services and controls nothing.',
  monitor: 'Without it the databases are not checked: a manager cannot see that one has failed.',
}

const examples: Readonly<Record<string, string>> = {
  [options.database.type.name]: 'mariadb',
  [options.database.user.name]: 'muster',
  [options.database.password.name]: '!env REPLICATION_PASSWORD',
  [options.monitor.user.name]: 'muster_monitor',
  [options.monitor.password.name]: '!env MONITOR_PASSWORD',
}

const partOf = (setting: Setting<unknown>, given: Given | undefined): Part => ({
  setting,
  given,
  example: `${setting.name}: ${examples[setting.name]}`,
})

/** Finds missing parts of a group; a password alone is another rule's finding. */
function findIncomplete(host: string, parts: readonly Part[]): Incomplete[] {
  const missing = parts.filter(({ given }) => given === undefined)
  const said = parts.find(({ given, setting }) => given !== undefined && !setting.secret)
  if (missing.length === 0 || said?.given === undefined) return []
  // A password without a user already has its finding.
  const password = parts.some(({ given, setting }) => given !== undefined && setting.secret)
  const left = password ? missing.filter(({ setting }) => setting === options.database.type) : missing
  return left.length === 0
    ? []
    : [{ span: said.given.keySpan, host, given: said.setting.name, missing: left }]
}

const partsOf = (host: ResolvedHost, settings: readonly Setting<unknown>[]): Part[] =>
  settings.map((setting) => partOf(setting, host.option(setting).given))

const ofReplicator = (host: ResolvedHost): Incomplete[] =>
  host.components.includes('replicator')
    ? findIncomplete(
        host.name,
        partsOf(host, [options.database.user, options.database.type, options.database.password]),
      )
    : []

/** Returns one database of each clustered service that has any. */
function databases({ draft, hosts }: ResolvedCluster): ReadonlyMap<ServiceDraft, ResolvedHost> {
  const having = new Map(hosts.filter(hasDatabase).map((host) => [host.name, host]))
  return new Map(
    [...draft.services.values()]
      .filter((service) => topologyOf(service) === 'clustered')
      .flatMap((service) => {
        const host = having.get(memberNames(service).find((name) => having.has(name)) ?? '')
        return host === undefined ? [] : [[service, host] as const]
      }),
  )
}

function ofManager(host: ResolvedHost, watched: ReadonlyMap<ServiceDraft, ResolvedHost>): Incomplete[] {
  if (!host.components.includes('manager')) return []
  const [first] = host.services.flatMap((service) => watched.get(service) ?? [])
  const database = partOf(options.database.type, first?.option(options.database.type).given)
  const account = partsOf(host, [options.monitor.user, options.monitor.password])
  // An account in defaults is for the services that have databases, if any has.
  const concerned = first !== undefined || watched.size === 0
  return concerned ? findIncomplete(host.name, [...account, database]) : []
}

const reportIncomplete = (found: readonly Incomplete[], why: string): Diagnostic[] =>
  bySpan(found).map((group) => {
    const [{ span, given, missing }] = group
    const facts = {
      given,
      missing: missing.map(({ setting }) => setting.name),
      hosts: group.map(({ host }) => host),
      lost: why,
      example: missing[0]?.example ?? '',
    }
    return diagnose('database-incomplete', facts, { span })
  })

/**
 * Finds an account without the type of its database, without its password, or a database without an account.
 */
export function incompleteDatabases(cluster: ResolvedCluster): readonly Diagnostic[] {
  const { hosts } = cluster
  const watched = databases(cluster)
  const unwatched = hosts.flatMap((host) => ofManager(host, watched))
  return [
    ...reportIncomplete(hosts.flatMap(ofReplicator), lost.replicator),
    ...reportIncomplete(unwatched, lost.monitor),
  ]
}
