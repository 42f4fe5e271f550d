import { addressAndPort } from '../base/address.ts'
import type { CallRequest, CallResult } from '../client/call.ts'
import {
  type ManagerReport,
  readConnectorStatus,
  readReadiness,
  readServiceStatus,
  type SeenConnector,
} from '../client/clusterView.ts'
import type { ApiConfig, HostConfig } from '../config/model.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { type Component, hasDatabase, withoutDatabase } from '../contracts/component.ts'
import { connectorRoutes } from '../contracts/connectorRoutes.ts'
import { managerRoutes } from '../contracts/managerRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { ProxySettings } from '../contracts/serverSettings.ts'
import type { MapService } from '../contracts/servicesMap.ts'
import { TransportError } from '../transport/transportError.ts'
import { callHost } from './callHost.ts'
import { installedAccount, installedData } from './desiredService.ts'
import type { ServiceState } from './facts/hostFacts.ts'
import { failureOf } from './hostFailure.ts'
import { layoutOf } from './layout.ts'
import type { SurveyedHost } from './survey.ts'

/** Lists where database clients connect: `clients of alpha at 127.0.0.1:9999, to read at 127.0.0.1:9998`. */
export function clientsText({
  service,
  address,
  port,
  readonlyPort,
}: Pick<ProxySettings, 'service' | 'address' | 'port' | 'readonlyPort'>): string {
  const read = readonlyPort === null ? '' : `, to read at ${addressAndPort(address, readonlyPort)}`
  return `clients of ${service} at ${addressAndPort(address, port)}${read}`
}

export type ComponentStatus = {
  readonly component: Component
  readonly service: ServiceState
  /** Configured listener of its API; null if it is switched off. */
  readonly listen: { readonly address: string; readonly port: number } | null
  readonly api: 'answers' | 'silent' | 'off'
  /** Configured listener of a connector for database clients. */
  readonly clients?: Pick<ProxySettings, 'service' | 'address' | 'port' | 'readonlyPort'>
  /** Why the API does not respond. */
  readonly detail?: string
  /** Set if the API responds, and its component said so. */
  readonly ready?: boolean
  /** Why the component is not ready. */
  readonly reason?: string
  /** Function that is off by configuration; not a problem. */
  readonly note?: string
}

export type HostStatus = {
  readonly host: string
  readonly address: string
  readonly state: 'up' | 'unreachable' | 'failed' | 'not-installed'
  readonly detail?: string
  readonly release?: string
  /** End of the certificate that its APIs present (RFC 3339). */
  readonly certificateExpires?: string
  readonly components: readonly ComponentStatus[]
  /** State of its connector; absent if it has none, or it did not respond. */
  readonly connector?: SeenConnector
}

/** State of a host, and what its manager reports; absent for a host without a manager. */
export type ObservedHost = { readonly status: HostStatus; readonly report?: ManagerReport }

/** Milliseconds for one call. */
const timeout = 4_000

const readyId = (component: Component): string => `${component} ready`
const serviceId = (service: string): string => `service ${service}`
const connectorId = 'connector status'

/**
 * Reads the services of a reachable host, pings each API there over its own address, and asks each component whether
 * it is ready, the manager for its services and the connector for its clients, over their sockets: all calls in one
 * round trip. Changes nothing.
 * Rejects with a `TransportError` if the host becomes unreachable.
 */
export async function hostStatus(options: {
  readonly surveyed: SurveyedHost
  readonly cluster: string
  /** Services map that is installed on the host. */
  readonly services: readonly MapService[]
  readonly authorities: readonly string[]
  readonly certificateExpires: string | undefined
}): Promise<ObservedHost> {
  const { surveyed, cluster, services, authorities, certificateExpires } = options
  const { host, facts, transport } = surveyed
  const { currentRelease } = facts.installation
  const known = { host: host.name, address: host.address }
  if (currentRelease === undefined) {
    const status = { ...known, state: 'not-installed', components: [] } as const
    return { status, ...missingReport(host, 'not installed') }
  }
  const layout = layoutOf(host.installDirectory)
  const data = installedData(facts, { layout, cluster })
  const requests = host.apis.flatMap((api): readonly CallRequest[] => {
    const socket = { socket: data.socket(api.component) }
    const target = api.enabled ? { address: api.address, port: api.port, authorities } : socket
    return [
      { ...callOf(commonRoutes.ping), id: api.component, target, timeout },
      { ...callOf(commonRoutes.ready), id: readyId(api.component), target: socket, timeout },
      ...(api.component === 'connector'
        ? [{ ...callOf(connectorRoutes.connectorStatus), id: connectorId, target: socket, timeout }]
        : []),
      ...(api.component === 'manager' ? services : []).map(({ name: service }) => ({
        ...callOf(managerRoutes.managerServiceStatus, { service }),
        ...{ id: serviceId(service), target: socket, timeout },
      })),
    ]
  })
  const calls = await callHost({
    transport,
    layout,
    account: installedAccount(facts),
    requests,
    timeout: timeout * 2,
    running: true,
  }).catch((error: unknown) => {
    // A host that became unreachable is not up, whatever its facts say.
    if (error instanceof TransportError) throw error
    return failureOf(error)
  })
  const results = Array.isArray(calls) ? calls : []
  const components = host.apis.map((api) =>
    componentStatus({
      host,
      services,
      api,
      service: facts.services.get(api.component)?.state ?? 'absent',
      results,
    }),
  )
  const connector = connectorOf(results)
  const status: HostStatus = {
    ...known,
    state: 'up',
    release: currentRelease,
    ...(certificateExpires === undefined ? {} : { certificateExpires }),
    ...('message' in calls ? { detail: calls.message } : {}),
    components,
    ...(connector === undefined ? {} : { connector }),
  }
  return hasManager(host) ? { status, report: reportOf(host, services, results) } : { status }
}

const hasManager = ({ apis }: HostConfig): boolean => apis.some(({ component }) => component === 'manager')

function reportOf(
  { name: host }: HostConfig,
  services: readonly MapService[],
  results: readonly CallResult[],
): ManagerReport {
  const answers = services.map(({ name }) => {
    const result = results.find(({ id }) => id === serviceId(name))
    if (result === undefined || 'error' in result) return { reason: 'it does not respond' }
    if (result.status === 404) return {}
    if (result.status !== 200) return { reason: `it answered ${result.status}` }
    const seen = readServiceStatus(result.body)
    return seen?.name === name ? { seen } : { reason: 'its response is not the status of a service' }
  })
  const reason = answers.find((answer) => answer.reason !== undefined)?.reason
  return {
    host,
    services: answers.flatMap(({ seen }) => seen ?? []),
    ...(reason === undefined ? {} : { reason }),
  }
}

/** Returns the report of a manager that could not be asked; nothing for a host without one. */
const missingReport = (host: HostConfig, reason: string): Pick<ObservedHost, 'report'> =>
  hasManager(host) ? { report: { host: host.name, services: [], reason } } : {}

function componentStatus(options: {
  readonly host: HostConfig
  readonly services: readonly MapService[]
  readonly api: ApiConfig
  readonly service: ServiceState
  readonly results: readonly CallResult[]
}): ComponentStatus {
  const { host, services, api, service, results } = options
  const clients = api.component === 'connector' ? clientsOf(host) : {}
  const known = { component: api.component, service, ...clients, ...noteOf(host, api.component, services) }
  const result = results.find(({ id }) => id === api.component)
  const answers = result !== undefined && 'status' in result && result.status === 200
  const why =
    result === undefined
      ? 'not asked'
      : 'error' in result
        ? result.error.message
        : `answered ${result.status}`
  const detail = answers ? {} : { detail: why }
  const readiness = answers ? readinessOf(api.component, results) : {}
  if (!api.enabled)
    return { ...known, listen: null, api: answers ? 'off' : 'silent', ...detail, ...readiness }
  const listen = { address: api.address, port: api.port }
  return { ...known, listen, api: answers ? 'answers' : 'silent', ...detail, ...readiness }
}

function connectorOf(results: readonly CallResult[]): SeenConnector | undefined {
  const result = results.find(({ id }) => id === connectorId)
  const answered = result !== undefined && 'status' in result && result.status === 200
  return answered ? readConnectorStatus(result.body) : undefined
}

function readinessOf(
  component: Component,
  results: readonly CallResult[],
): Pick<ComponentStatus, 'ready' | 'reason'> {
  const result = results.find(({ id }) => id === readyId(component))
  return (result !== undefined && 'status' in result && readReadiness(result)) || {}
}

function noteOf(
  { proxy, database }: HostConfig,
  component: Component,
  services: readonly MapService[],
): Pick<ComponentStatus, 'note'> {
  // Without its account the replicator gets no database.
  const given = { component, services, proxy, database: database?.account }
  return hasDatabase(given) ? {} : { note: withoutDatabase[component] }
}

function clientsOf({ proxy }: HostConfig): Pick<ComponentStatus, 'clients'> {
  if (proxy === undefined) return {}
  const { service, address, port, readonlyPort } = proxy
  return { clients: { service, address, port, readonlyPort } }
}

/** Status of a host that could not be asked. */
export const unreachableStatus = (
  host: HostConfig,
  state: 'unreachable' | 'failed',
  detail: string,
): ObservedHost => ({
  status: { host: host.name, address: host.address, state, detail, components: [] },
  ...missingReport(host, state),
})
