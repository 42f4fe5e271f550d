import type { ApiConfig, DatabaseConfig, HostConfig } from '../../config/model.ts'
import type { Component } from '../../contracts/component.ts'
import type { DatabaseSettings, ServerSettings } from '../../contracts/serverSettings.ts'
import type { MapService } from '../../contracts/servicesMap.ts'
import type { HostFacts } from '../facts/model.ts'
import type { Layout, ServiceData } from '../layout.ts'
import type { ServicePlan } from '../service.ts'
import { serviceManagers } from '../services/implementations.ts'
import { namesOf } from './names.ts'

type SettingsOptions = {
  readonly cluster: string
  readonly host: HostConfig
  readonly services: readonly MapService[]
  readonly facts: HostFacts
  readonly api: ApiConfig
  readonly layout: Layout
  readonly data: ServiceData
  readonly service: Pick<ServicePlan, 'manager'>
}

/** What a component of a host reads when it starts; it holds no secret. */
export function settingsOf(options: SettingsOptions): ServerSettings {
  const { cluster, host, facts, api, layout, data, service } = options
  return {
    version: 1,
    cluster,
    host: host.name,
    component: api.component,
    listen: api.enabled ? { address: api.address, port: api.port } : null,
    socket: data.socket(api.component),
    tls: { key: `${layout.tls}/key.pem`, chain: `${layout.tls}/chain.pem` },
    usersFile: data.usersFile,
    auditFile: data.auditFile(api.component),
    allowedHosts: [
      ...new Set(['localhost', '127.0.0.1', '::1', ...namesOf(host, facts).all, ...host.allowedHosts]),
    ],
    remoteBootstrap: host.remoteBootstrap,
    logLevel: host.logLevel,
    ...ownSettings[api.component](options),
    ...(serviceManagers[service.manager].logs === undefined
      ? { log: { file: data.logFile(api.component) } }
      : {}),
  }
}

const ownSettings: Readonly<Record<Component, (options: SettingsOptions) => Partial<ServerSettings>>> = {
  manager: (options) => {
    const { host, layout, data } = options
    return {
      ...mapSettings(options),
      ...(host.member && { member: host.member }),
      ...(host.monitor && { monitor: { user: host.monitor.user }, secretsFile: layout.secretsFile }),
      ...(runs(host, 'connector') ? { connectorSocket: data.socket('connector') } : {}),
    }
  },
  connector: (options) => {
    const { host, data } = options
    return {
      ...mapSettings(options),
      ...(host.proxy && { proxy: host.proxy }),
      ...(runs(host, 'manager') ? { managerSocket: data.socket('manager') } : {}),
    }
  },
  replicator: ({ host, layout }) => {
    const database = host.database && databaseSettings(host.database)
    return database === undefined ? {} : { database, secretsFile: layout.secretsFile }
  },
}

const runs = (host: HostConfig, component: Component): boolean =>
  host.apis.some((api) => api.component === component)

const mapSettings = ({ services, data, api }: SettingsOptions): Partial<ServerSettings> => ({
  services: { services },
  stateFile: data.stateFile(api.component),
})

function databaseSettings(database: DatabaseConfig): DatabaseSettings | undefined {
  const { account, type, host, port, service } = database
  return account && { type, host, port, user: account.user, service }
}
