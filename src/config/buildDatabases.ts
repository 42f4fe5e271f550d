import type { ProxySettings } from '../contracts/serverSettings.ts'
import type { SecretReference } from '../secrets/reference.ts'
import { locatedSecret } from './locatedSecret.ts'
import type { DatabaseAccount, DatabaseConfig, HostConfig } from './model.ts'
import type { Paths } from './paths.ts'
import { hasDatabase } from './resolve/dataSources.ts'
import type { ResolvedHost } from './resolve/resolved.ts'
import { sure } from './resolve/sure.ts'
import { isNamedIn, type Mention, topologyOf } from './resolve/topology.ts'
import { options } from './settings/options.ts'
import type { Setting } from './settings/setting.ts'

type Account = { readonly user: Setting<string>; readonly password: Setting<SecretReference> }

const replication: Account = { user: options.replicationUser, password: options.replicationPassword }
const monitor: Account = { user: options.monitorUser, password: options.monitorPassword }

function accountOf(host: ResolvedHost, account: Account, paths: Paths): DatabaseAccount | undefined {
  const user = host.option(account.user).value
  const password = locatedSecret(host.option(account.password), paths)
  return user === undefined || password === undefined ? undefined : { user, password }
}

/** The services that name the host in one of their lists, in the order of the file. */
const servicesWith = (host: ResolvedHost, field: Mention['field']): readonly Mention['service'][] =>
  host.services.filter((service) => isNamedIn(service, field, host.name))

function databaseOf(host: ResolvedHost, paths: Paths): DatabaseConfig | undefined {
  const type = host.option(options.datasourceType).value
  const [service] = servicesWith(host, 'members')
  if (type === undefined || service === undefined || !hasDatabase(host)) return undefined
  const account = accountOf(host, replication, paths)
  return {
    type,
    host: sure(host.option(options.replicationHost)),
    port: sure(host.option(options.replicationPort)),
    service: service.name,
    ...(account === undefined ? {} : { account }),
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

function proxyOf(host: ResolvedHost): ProxySettings | undefined {
  const [service] = host.proxied
  if (service === undefined) return undefined
  return {
    service: service.name,
    address: sure(host.option(options.applicationAddress)),
    port: sure(host.option(options.applicationPort)),
    readonlyPort: host.option(options.applicationReadonlyPort).value ?? null,
    maxHeld: sure(host.option(options.maxHeld)),
    maxHold: sure(host.option(options.maxHold)),
    drainTimeout: sure(host.option(options.drainTimeout)),
  }
}

/** What the databases of its services make of a host. */
export function databasesOf(
  host: ResolvedHost,
  paths: Paths,
): Pick<HostConfig, 'database' | 'member' | 'monitor' | 'proxy'> {
  const manages = host.components.includes('manager')
  const database = databaseOf(host, paths)
  const member = manages ? memberOf(host) : undefined
  const account = manages ? accountOf(host, monitor, paths) : undefined
  const proxy = proxyOf(host)
  return {
    ...(database && { database }),
    ...(member && { member }),
    ...(account && { monitor: account }),
    ...(proxy && { proxy }),
  }
}
