import { databasesOf } from './buildDatabases.ts'
import { locatedSecret } from './locatedSecret.ts'
import type { ApiConfig, ClusterConfig, HostConfig, SshConfig, TlsConfig, UserConfig } from './model.ts'
import { absolutePath, isOnHost, type Paths } from './paths.ts'
import { installedServices } from './resolve/dataSources.ts'
import type { Resolved, ResolvedCluster, ResolvedHost } from './resolve/resolved.ts'
import { sure } from './resolve/sure.ts'
import { usersOf } from './resolve/users.ts'
import { apiOptions } from './settings/apiOptions.ts'
import { options } from './settings/options.ts'
import { file } from './settings/places.ts'
import { ssh } from './settings/ssh.ts'
import { valueFor } from './shape/values.ts'

/** An object of one member when there is a value, else of none. */
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
    become: sure(host.ssh(ssh.become)),
    ...optional('becomePassword', locatedSecret(host.ssh(ssh.becomePassword), paths)),
    ...optional('timeout', host.ssh(ssh.timeout).value),
  }
}

function apisOf(host: ResolvedHost): readonly ApiConfig[] {
  return host.components.map((component) => ({
    component,
    enabled: sure(host.option(apiOptions[component].enabled)),
    address: sure(host.option(apiOptions[component].address)),
    port: sure(host.option(apiOptions[component].port)),
  }))
}

function tlsOf(host: ResolvedHost, paths: Paths): TlsConfig {
  return {
    ...optional('keystorePath', pathOf(host.option(options.keystorePath), paths)),
    ...optional('truststorePath', pathOf(host.option(options.truststorePath), paths)),
    ...optional('keystorePassword', locatedSecret(host.option(options.keystorePassword), paths)),
    ...optional('truststorePassword', locatedSecret(host.option(options.truststorePassword), paths)),
    alias: sure(host.option(options.alias)),
    keyType: sure(host.option(options.keyType)),
    keyLifetime: sure(host.option(options.keyLifetime)),
    warningDays: sure(host.option(options.warningDays)),
  }
}

function usersFor(host: ResolvedHost, paths: Paths): readonly UserConfig[] {
  const others = usersOf(host).map(
    (user): UserConfig => ({
      user: user.given.name,
      option: `${options.users.name}.${user.given.name}`,
      ...optional('password', locatedSecret(user, paths)),
    }),
  )
  const name = host.option(options.adminUser).value
  if (name === undefined) return others
  const again = others.find(({ user }) => user === name)
  const password = locatedSecret(host.option(options.adminPass), paths) ?? again?.password
  const admin = { user: name, option: options.adminPass.name, ...optional('password', password) }
  return [admin, ...others.filter((one) => one !== again)]
}

function hostConfig(host: ResolvedHost, paths: Paths): HostConfig {
  const directory = host.option(options.installDirectory)
  return {
    name: host.name,
    address: host.address,
    connection: host.connection,
    ssh: sshOf(host, paths),
    services: host.services.map((service) => service.name),
    apis: apisOf(host),
    users: usersFor(host, paths),
    tls: tlsOf(host, paths),
    remoteBootstrap: sure(host.option(options.remoteBootstrap)),
    allowedHosts: sure(host.option(options.allowedHosts)).map(({ value }) => value),
    installDirectory: absolutePath(sure(directory), { span: directory.given?.span, paths }),
    ...optional('user', host.option(options.user).value),
    serviceManager: sure(host.option(options.serviceManager)),
    runtime: sure(host.option(options.runtime)),
    logLevel: sure(host.option(options.logLevel)),
    limits: {
      memoryMax: sure(host.option(options.memoryMax)),
      cpuWeight: sure(host.option(options.cpuWeight)),
      tasksMax: sure(host.option(options.tasksMax)),
      oomScoreAdjust: sure(host.option(options.oomScoreAdjust)),
    },
    ...databasesOf(host, paths),
  }
}

/** The installation that a configuration without errors describes. `directory` is that of the first file. */
export function buildConfig(cluster: ResolvedCluster, directory: string): ClusterConfig {
  const name = valueFor(cluster.draft.fields, file.cluster)
  if (name === undefined) throw new Error('a configuration without a cluster name was taken for a good one')
  const hosts = cluster.hosts.filter((host) => host.components.length > 0)
  return {
    cluster: name,
    directory,
    hosts: hosts.map((host) => hostConfig(host, cluster.paths)),
    services: installedServices(cluster.draft.services.values(), cluster.hosts),
  }
}
