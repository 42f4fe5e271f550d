import { listOf, shortListOf } from '../../base/words.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { hasDatabase, memberNames } from '../resolve/dataSources.ts'
import { topologyOf } from '../resolve/placements.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'
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

const consequences = {
  replicator:
    'Without it the replicator has no database: it lists no services and cannot control replication.',
  monitor: 'Without it the managers do not check the databases and cannot detect a failed one.',
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
  const setPart = parts.find(({ given, setting }) => given !== undefined && !setting.secret)
  if (missing.length === 0 || setPart?.given === undefined) return []
  // A password without a user already has its finding.
  const password = parts.some(({ given, setting }) => given !== undefined && setting.secret)
  const reported = password ? missing.filter(({ setting }) => setting === options.database.type) : missing
  return reported.length === 0
    ? []
    : [{ span: setPart.given.keySpan, host, given: setPart.setting.name, missing: reported }]
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
  const withDatabase = new Map(hosts.filter(hasDatabase).map((host) => [host.name, host]))
  return new Map(
    [...draft.services.values()]
      .filter((service) => topologyOf(service) === 'clustered')
      .flatMap((service) => {
        const host = withDatabase.get(memberNames(service).find((name) => withDatabase.has(name)) ?? '')
        return host === undefined ? [] : [[service, host] as const]
      }),
  )
}

function ofManager(host: ResolvedHost, monitored: ReadonlyMap<ServiceDraft, ResolvedHost>): Incomplete[] {
  if (!host.components.includes('manager')) return []
  const [first] = host.services.flatMap((service) => monitored.get(service) ?? [])
  const database = partOf(options.database.type, first?.option(options.database.type).given)
  const account = partsOf(host, [options.monitor.user, options.monitor.password])
  // An account in defaults is for the services that have databases, if any has.
  const isMonitored = first !== undefined || monitored.size === 0
  return isMonitored ? findIncomplete(host.name, [...account, database]) : []
}

const databaseIncomplete = finding(
  'database-incomplete',
  (facts: {
    given: string
    missing: readonly string[]
    hosts: readonly string[]
    consequence: string
    example: string
  }) => ({
    message: `${facts.given} is set for ${shortListOf(facts.hosts)}, but not ${listOf(facts.missing, 'or')}.`,
    why: facts.consequence,
    fix: `Add, for example: ${facts.example}`,
  }),
)

const reportIncomplete = (found: readonly Incomplete[], consequence: string): Diagnostic[] =>
  groupBySpan(found).map((group) => {
    const [{ span, given, missing }] = group
    const facts = {
      given,
      missing: missing.map(({ setting }) => setting.name),
      hosts: group.map(({ host }) => host),
      consequence,
      example: missing[0]?.example ?? '',
    }
    return databaseIncomplete(facts, { span })
  })

/**
 * Finds an account without the type of its database, without its password, or a database without an account.
 */
export function incompleteDatabases(cluster: ResolvedCluster): readonly Diagnostic[] {
  const { hosts } = cluster
  const monitored = databases(cluster)
  const notMonitored = hosts.flatMap((host) => ofManager(host, monitored))
  return [
    ...reportIncomplete(hosts.flatMap(ofReplicator), consequences.replicator),
    ...reportIncomplete(notMonitored, consequences.monitor),
  ]
}
