import {
  type ApiConfig,
  type DatabaseConfig,
  type HostConfig,
  type MonitorConfig,
  needsAuthorities,
} from '../../config/model.ts'
import { isLocalAddress } from '../../config/resolve/dataSources.ts'
import type { Component } from '../../contracts/component.ts'
import type { DatabaseSettings, ServerSettings } from '../../contracts/serverSettings.ts'
import type { MapService } from '../../contracts/servicesMap.ts'
import { Secret } from '../../secrets/secret.ts'
import type { DesiredService } from '../desiredService.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { Layout, ServiceData } from '../layout.ts'
import { serviceManagers } from '../services/implementations.ts'
import { certificateNamesOf } from './certificateNames.ts'
import type { StorePasswords } from './generatedStores.ts'

/** TCP listener of a component, and the options that define it. */
export type ComponentListener = {
  readonly component: Component
  /** Owner in a sentence: `the manager`, `the clients of the connector`. */
  readonly of: string
  readonly address: string
  readonly port: number
  readonly portOption: string
  readonly addressOption: string
}

/** First port that an unprivileged user may listen on by default (ip(7)). */
export const firstUnprivilegedPort = 1024

const channelsOf = (channel: HostConfig['channel']): readonly ComponentListener[] =>
  channel === undefined
    ? []
    : [
        {
          component: 'manager',
          of: "the manager's channel to other hosts",
          address: channel.address,
          port: channel.port,
          portOption: 'cluster-port',
          // It has the address of its host.
          addressOption: 'address',
        },
      ]

/**
 * Returns the listeners of one component of a host: its API unless it is off, the channel of a manager, and the client ports
 * of a connector.
 */
export function listenersOf(
  { proxy, channel }: Pick<HostConfig, 'proxy' | 'channel'>,
  api: ApiConfig,
): readonly ComponentListener[] {
  const { component, address, port } = api
  const own: ComponentListener = {
    component,
    of: `the ${component}`,
    address,
    port,
    portOption: `${component}-rest-api-port`,
    addressOption: `${component}-rest-api-address`,
  }
  const opened = [...(api.enabled ? [own] : []), ...(component === 'manager' ? channelsOf(channel) : [])]
  if (component !== 'connector' || proxy === undefined) return opened
  const clients = {
    component,
    of: "the connector's clients",
    address: proxy.address,
    addressOption: 'application-address',
  }
  const { port: primary, readonlyPort: replicas } = proxy
  return [
    ...opened,
    { ...clients, port: primary, portOption: 'application-port' },
    ...(replicas === null ? [] : [{ ...clients, port: replicas, portOption: 'application-readonly-port' }]),
  ]
}

/** Passwords of the host's components for their database logins. */
export type DatabasePasswords = { readonly replication?: Secret; readonly monitor?: Secret }

/**
 * Returns the text of `share/secrets.json`: by option, exactly the passwords that the host needs. A component reads
 * it at each database login, so a new password needs no restart.
 */
export function secretsFile(stores: StorePasswords, databases: DatabasePasswords): Secret {
  const passwords = {
    'java-keystore-password': stores.keystore?.reveal(),
    'java-truststore-password': stores.truststore?.reveal(),
    'replication-password': databases.replication?.reveal(),
    'monitor-password': databases.monitor?.reveal(),
  }
  return new Secret(`${JSON.stringify(passwords, null, 2)}\n`)
}

type SettingsOptions = {
  readonly cluster: string
  readonly host: HostConfig
  readonly services: readonly MapService[]
  readonly facts: HostFacts
  readonly api: ApiConfig
  readonly layout: Layout
  readonly data: ServiceData
  readonly service: Pick<DesiredService, 'manager'>
}

/** Returns the settings that a component reads at start; without secrets. */
export function settingsOf(options: SettingsOptions): ServerSettings {
  const { cluster, host, facts, api, layout, data, service } = options
  return {
    version: 1,
    cluster,
    host: host.name,
    component: api.component,
    listen: api.enabled ? { address: api.address, port: api.port } : null,
    socket: data.socket(api.component),
    tls: {
      key: `${layout.tls}/key.pem`,
      chain: `${layout.tls}/chain.pem`,
      ...(talksToHosts(host, api) && { authorities: layout.authorities }),
    },
    usersFile: data.usersFile,
    auditFile: data.auditFile(api.component),
    allowedHosts: [
      ...new Set([
        'localhost',
        '127.0.0.1',
        '::1',
        ...certificateNamesOf(host, facts).all,
        ...host.allowedHosts,
      ]),
    ],
    remoteBootstrap: host.remoteBootstrap,
    logLevel: host.logLevel,
    ...ownSettings[api.component](options),
    ...(serviceManagers[service.manager].logs === undefined
      ? { log: { file: data.logFile(api.component) } }
      : {}),
  }
}

/** Returns true for a component that proves itself to other hosts, or lets them prove themselves. */
const talksToHosts = (host: HostConfig, { component }: ApiConfig): boolean =>
  component === 'connector' ? host.managers !== undefined : component === 'manager' && needsAuthorities(host)

const ownSettings: Readonly<Record<Component, (options: SettingsOptions) => Partial<ServerSettings>>> = {
  manager: (options) => {
    const { host, layout, data } = options
    const monitor = host.monitor && monitorSettings(host.monitor)
    return {
      ...mapSettings(options),
      ...(host.member && { member: host.member }),
      ...channelSettings(host),
      ...(monitor && { monitor }),
      ...switchSettings(host),
      ...((monitor || host.switching) && { ...proofSettings(host), secretsFile: layout.secretsFile }),
      ...(runs(host, 'connector') ? { connectorSocket: data.socket('connector') } : {}),
      ...(runs(host, 'replicator') ? { replicatorSocket: data.socket('replicator') } : {}),
      ...(host.dashboard && { dashboard: host.dashboard }),
    }
  },
  connector: (options) => {
    const { host, data } = options
    return {
      ...mapSettings(options),
      ...(host.proxy && { proxy: host.proxy }),
      ...(runs(host, 'manager') ? { managerSocket: data.socket('manager') } : {}),
      ...(host.managers && { managers: host.managers }),
    }
  },
  replicator: ({ host, layout, data }) => {
    const database = host.database && databaseSettings(host.database)
    return database === undefined
      ? {}
      : {
          database,
          ...proofSettings(host),
          secretsFile: layout.secretsFile,
          stateFile: data.stateFile('replicator'),
        }
  },
}

/** Returns what the databases have to show; a name of loopback is that of every host. */
function proofSettings({ name, address, database, databaseAuthority }: HostConfig): Partial<ServerSettings> {
  if (databaseAuthority === undefined) return {}
  const addresses = [address, ...(database ? [database.host] : [])].filter((it) => !isLocalAddress(it))
  return { databaseProof: { authorities: databaseAuthority, ownNames: [...new Set([name, ...addresses])] } }
}

/** Returns the members for a switch of the primary. */
function switchSettings({ switching, otherManagers }: HostConfig): Partial<ServerSettings> {
  if (!switching || !otherManagers) return {}
  return { switching, ...(otherManagers.length > 0 && { managers: otherManagers }) }
}

function channelSettings({ channel }: HostConfig): Pick<ServerSettings, 'channel' | 'peers'> {
  if (channel === undefined) return {}
  const { peers, ...listener } = channel
  return { channel: listener, peers }
}

const runs = (host: HostConfig, component: Component): boolean =>
  host.apis.some((api) => api.component === component)

const mapSettings = ({ services, data, api }: SettingsOptions): Partial<ServerSettings> => ({
  services: { services },
  stateFile: data.stateFile(api.component),
})

// Passwords stay behind: they reach a component in its secrets file.

function monitorSettings({ password: _, ...settings }: MonitorConfig): ServerSettings['monitor'] {
  return settings
}

function databaseSettings({ account, service, ...server }: DatabaseConfig): DatabaseSettings | undefined {
  return account && { ...server, user: account.user, service }
}
