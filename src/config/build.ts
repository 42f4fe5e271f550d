import type { ProxySettings, SwitchSettings } from '../contracts/serverSettings.ts'
import type { Span } from '../diagnostics/diagnostic.ts'
import type { SecretReference } from '../secrets/reference.ts'
import { locatedSecret } from './locatedSecret.ts'
import type {
  ApiConfig,
  ClusterConfig,
  DatabaseAccount,
  DatabaseConfig,
  HookProgram,
  HooksConfig,
  HostConfig,
  SshConfig,
  TlsConfig,
  UserConfig,
  WebhookConfig,
} from './model.ts'
import { absolutePath, isOnHost, type Paths } from './paths.ts'
import { hasDatabase, servicesMap } from './resolve/dataSources.ts'
import {
  channelOf,
  dashboardOf,
  followedService,
  managersOfMembers,
  otherManagers,
} from './resolve/followedManagers.ts'
import { oncePer } from './resolve/oncePer.ts'
import { isNamedIn, type Mention, topologyOf } from './resolve/placements.ts'
import {
  type HostsByName,
  hostsByName,
  type Resolved,
  type ResolvedCluster,
  type ResolvedHost,
  usersOf,
  valuesOf,
} from './resolve/resolved.ts'
import { shortestHold, switchedService } from './resolve/switching.ts'
import { accessOptions } from './settings/accessOptions.ts'
import { certificateOptions } from './settings/certificateOptions.ts'
import { type HookName, hookLimits, hookPrograms } from './settings/hooks.ts'
import { installationOptions } from './settings/installationOptions.ts'
import { options } from './settings/options.ts'
import { file } from './settings/places.ts'
import type { Setting } from './settings/setting.ts'
import { ssh } from './settings/ssh.ts'
import type { WebhookSecret } from './settings/webhooks.ts'
import { givenFor, type ServiceDraft, valueFor } from './shape/draft.ts'

type Account = { readonly user: Setting<string>; readonly password: Setting<SecretReference> }

function accountOf(host: ResolvedHost, account: Account, paths: Paths): DatabaseAccount | undefined {
  const user = host.option(account.user).value
  const password = locatedSecret(host.option(account.password), paths)
  return user === undefined || password === undefined ? undefined : { user, password }
}

/** Lists the services that name the host in one of their lists, in the order of the file. */
const servicesWith = (host: ResolvedHost, field: Mention['field']): readonly Mention['service'][] =>
  host.services.filter((service) => isNamedIn(service, field, host.name))

function databaseOf(host: ResolvedHost, paths: Paths): DatabaseConfig | undefined {
  const type = host.option(options.database.type).value
  const [service] = servicesWith(host, 'members')
  if (type === undefined || service === undefined || !hasDatabase(host)) return undefined
  return {
    type,
    ...valuesOf(options.database, host.option),
    service: service.name,
    ...optional('account', accountOf(host, options.database, paths)),
  }
}

function memberOf(host: ResolvedHost): HostConfig['member'] {
  const clustered = (field: Mention['field']) =>
    servicesWith(host, field).find((service) => topologyOf(service) === 'clustered')
  const member = clustered('members')
  if (member !== undefined) {
    return { service: member.name, datasource: hasDatabase(host) ? host.name : null, witness: false }
  }
  const witness = clustered('witnesses')
  return witness && { service: witness.name, datasource: null, witness: true }
}

/** Returns what the manager of a host makes of its checks. */
const monitorOf = (host: ResolvedHost) => ({
  ...valuesOf(options.monitor, host.option),
  maxReplicaLag: host.option(options.monitor.maxReplicaLag).value ?? null,
})

function proxyOf(host: ResolvedHost): ProxySettings | undefined {
  const [service] = host.proxied
  if (service === undefined) return undefined
  const { address, port, ...limits } = valuesOf(options.proxy, host.option)
  const readonlyPort = host.option(options.proxy.readonlyPort).value ?? null
  return { service: service.name, address, port, readonlyPort, ...limits }
}

/** Derives the database settings of a host from its services. */
function databasesOf(
  host: ResolvedHost,
  paths: Paths,
): Pick<HostConfig, 'database' | 'member' | 'monitor' | 'proxy'> {
  const manages = host.components.includes('manager')
  const database = databaseOf(host, paths)
  const member = manages ? memberOf(host) : undefined
  const account = manages ? accountOf(host, options.monitor, paths) : undefined
  const proxy = proxyOf(host)
  return {
    ...(database && { database }),
    ...(member && { member }),
    ...(account && { monitor: { ...account, ...monitorOf(host) } }),
    ...(proxy && { proxy }),
  }
}

/** Returns an object with the member, or without it if the value is undefined. */
const optional = <K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: T }

function pathOf(resolved: Resolved<string>, paths: Paths): string | undefined {
  const { value, given } = resolved
  if (value === undefined || isOnHost(value)) return value
  return absolutePath(value, { span: given?.span, paths })
}

function sshOf(host: ResolvedHost, paths: Paths): SshConfig {
  return {
    ...optional('user', host.ssh(ssh.user).value),
    ...optional('port', host.ssh(ssh.port).value),
    ...optional('identity', pathOf(host.ssh(ssh.identity), paths)),
    ...optional('knownHosts', pathOf(host.ssh(ssh.knownHosts), paths)),
    ...optional('hostKey', host.ssh(ssh.hostKey).value),
    ...optional(
      'jump',
      host.ssh(ssh.jump).value?.map(({ value }) => value),
    ),
    ...optional('config', pathOf(host.ssh(ssh.config), paths)),
    ...valuesOf(ssh, host.ssh),
    ...optional('becomePassword', locatedSecret(host.ssh(ssh.becomePassword), paths)),
    ...optional('timeout', host.ssh(ssh.timeout).value),
  }
}

function apisOf(host: ResolvedHost): readonly ApiConfig[] {
  return host.components.map((component) => {
    const { enabled, address, port } = valuesOf(options.api[component], host.option)
    return { component, enabled, address, port }
  })
}

function tlsOf(host: ResolvedHost, paths: Paths): TlsConfig {
  return {
    ...optional('keystorePath', pathOf(host.option(options.keystorePath), paths)),
    ...optional('truststorePath', pathOf(host.option(options.truststorePath), paths)),
    ...optional('keystorePassword', locatedSecret(host.option(options.keystorePassword), paths)),
    ...optional('truststorePassword', locatedSecret(host.option(options.truststorePassword), paths)),
    ...valuesOf(certificateOptions, host.option),
  }
}

function usersFor(host: ResolvedHost, paths: Paths): readonly UserConfig[] {
  const others = usersOf(host).map(
    (user): UserConfig => ({
      user: user.given.name,
      option: `${options.users.name}.${user.given.name}`,
      access: user.given.access,
      ...optional('password', locatedSecret(user, paths)),
    }),
  )
  const name = host.option(options.adminUser).value
  if (name === undefined) return others
  const again = others.find(({ user }) => user === name)
  const password = locatedSecret(host.option(options.adminPass), paths) ?? again?.password
  const admin: UserConfig = {
    user: name,
    option: options.adminPass.name,
    access: 'full',
    ...optional('password', password),
  }
  return [admin, ...others.filter((one) => one !== again)]
}

const holds = oncePer((hosts: HostsByName) =>
  oncePer((service: ServiceDraft) => shortestHold(service, hosts.values()).hold),
)

/** Derives what the manager of a host switches the primary of its service with. */
function switchingOf(
  host: ResolvedHost,
  paths: Paths,
  hosts: HostsByName,
): Pick<HostConfig, 'switching' | 'otherManagers'> {
  const account = databaseOf(host, paths)?.account
  const service = switchedService(host)
  if (account === undefined || service === undefined) return {}
  const switching: SwitchSettings = {
    user: account.user,
    ...valuesOf(options.switching, host.option),
    maxHold: holds(hosts)(service),
  }
  return { switching, otherManagers: otherManagers(host, service, hosts) }
}

/** Derives which managers the host's connector follows, who follows its manager, and what its page shows. */
function followingOf(
  host: ResolvedHost,
  hosts: HostsByName,
): Pick<HostConfig, 'managers' | 'channel' | 'dashboard'> {
  const service = followedService(host, hosts)
  const managers = service === undefined ? [] : managersOfMembers(host, service, hosts)
  return {
    ...(managers.length > 0 && { managers }),
    ...optional('channel', channelOf(host, hosts)),
    ...optional('dashboard', dashboardOf(host, hosts)),
  }
}

function hostConfig(host: ResolvedHost, paths: Paths, hosts: HostsByName): HostConfig {
  const { allowedHosts, ...access } = valuesOf(accessOptions, host.option)
  const { installDirectory, ...installation } = valuesOf(installationOptions, host.option)
  const { given } = host.option(options.installDirectory)
  return {
    name: host.name,
    address: host.address,
    connection: host.connection,
    ssh: sshOf(host, paths),
    services: host.services.map((service) => service.name),
    apis: apisOf(host),
    users: usersFor(host, paths),
    tls: tlsOf(host, paths),
    ...access,
    allowedHosts: allowedHosts.map(({ value }) => value),
    installDirectory: absolutePath(installDirectory, { span: given?.span, paths }),
    ...optional('user', host.option(options.user).value),
    ...installation,
    limits: valuesOf(options.limits, host.option),
    ...databasesOf(host, paths),
    ...optional('databaseAuthority', host.option(options.databaseAuthority).value),
    ...switchingOf(host, paths, hosts),
    ...followingOf(host, hosts),
  }
}

const placeOf = ({ file, line, column }: Span): string => `${file}:${line}:${column}`

function hooksOf({ draft, paths }: ResolvedCluster): HooksConfig | undefined {
  const programs = hookPrograms.flatMap((setting): [HookName, HookProgram][] => {
    const given = givenFor(draft.hooks, setting)
    const command = valueFor(draft.hooks, setting)
    if (given === undefined || command === undefined) return []
    const directory = paths.directories.get(given.span.file) ?? paths.fallback
    return [[setting.name, { command, directory, place: placeOf(given.span) }]]
  })
  if (programs.length === 0) return undefined
  return {
    programs: Object.fromEntries(programs),
    timeout: valueFor(draft.hooks, hookLimits.timeout) ?? hookLimits.timeout.default,
    environment: (valueFor(draft.hooks, hookLimits.environment) ?? []).map(({ value }) => value),
  }
}

function webhooksOf({ draft, paths }: ResolvedCluster): readonly WebhookConfig[] {
  const secret = (given: WebhookSecret): SecretReference =>
    locatedSecret({ value: given.value, origin: 'defaults', given }, paths) ?? given.value
  return (valueFor(draft.fields, file.notify) ?? []).map(({ url, on, template, header, ca }) => ({
    url: secret(url),
    on,
    ...(template && { template: secret(template) }),
    ...(header && { header: { name: header.name, value: secret(header.value) } }),
    ...(ca && { ca: absolutePath(ca.value, { span: ca.span, paths }) }),
    place: placeOf(url.span),
  }))
}

/** Builds the installation from a configuration without errors. `directory` is that of the first file. */
export function buildConfig(cluster: ResolvedCluster, directory: string): ClusterConfig {
  const name = valueFor(cluster.draft.fields, file.cluster)
  if (name === undefined) throw new Error('a configuration without a cluster name was taken for a good one')
  const hosts = cluster.hosts.filter((host) => host.components.length > 0)
  const byName = hostsByName(hosts)
  const notify = webhooksOf(cluster)
  return {
    cluster: name,
    directory,
    hosts: hosts.map((host) => hostConfig(host, cluster.paths, byName)),
    services: servicesMap(cluster.draft.services.values(), cluster.hosts),
    ...optional('hooks', hooksOf(cluster)),
    ...(notify.length === 0 ? {} : { notify }),
  }
}
