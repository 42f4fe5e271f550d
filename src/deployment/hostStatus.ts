import { addressAndPort } from '../base/address.ts'
import type { CallRequest, CallResult } from '../client/call.ts'
import type { ApiConfig, HostConfig } from '../config/model.ts'
import { type Component, hasDatabase, withoutDatabase } from '../contracts/component.ts'
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

type ComponentStatus = {
  readonly component: Component
  readonly service: ServiceState
  /** Configured listener of its API; null if it is switched off. */
  readonly listen: { readonly address: string; readonly port: number } | null
  readonly api: 'answers' | 'silent' | 'off'
  /** Configured listener of a connector for database clients. */
  readonly clients?: Pick<ProxySettings, 'service' | 'address' | 'port' | 'readonlyPort'>
  /** Why the API does not respond. */
  readonly detail?: string
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
}

/** Milliseconds for one ping. */
const pingTimeout = 4_000

/**
 * Reads the services of a reachable host and pings each API there over its own address. Changes nothing. Rejects with
 * a `TransportError` if the host becomes unreachable.
 */
export async function hostStatus(options: {
  readonly surveyed: SurveyedHost
  readonly cluster: string
  /** Services map that is installed on the host. */
  readonly services: readonly MapService[]
  readonly authorities: readonly string[]
  readonly certificateExpires: string | undefined
}): Promise<HostStatus> {
  const { surveyed, cluster, services, authorities, certificateExpires } = options
  const { host, facts, transport } = surveyed
  const { currentRelease } = facts.installation
  const known = { host: host.name, address: host.address }
  if (currentRelease === undefined) return { ...known, state: 'not-installed', components: [] }
  const layout = layoutOf(host.installDirectory)
  const requests = host.apis.map(
    (api): CallRequest => ({
      id: api.component,
      method: 'GET',
      path: '/api/v2/ping',
      timeout: pingTimeout,
      target: api.enabled
        ? { address: api.address, port: api.port, authorities }
        : { socket: installedData(facts, { layout, cluster }).socket(api.component) },
    }),
  )
  const calls = await callHost({
    transport,
    layout,
    account: installedAccount(facts),
    requests,
    timeout: pingTimeout * 2,
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
  return {
    ...known,
    state: 'up',
    release: currentRelease,
    ...(certificateExpires === undefined ? {} : { certificateExpires }),
    ...('message' in calls ? { detail: calls.message } : {}),
    components,
  }
}

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
  if (!api.enabled) return { ...known, listen: null, api: answers ? 'off' : 'silent', ...detail }
  const listen = { address: api.address, port: api.port }
  return { ...known, listen, api: answers ? 'answers' : 'silent', ...detail }
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

export const unreachableStatus = (
  host: HostConfig,
  state: 'unreachable' | 'failed',
  detail: string,
): HostStatus => ({
  host: host.name,
  address: host.address,
  state,
  detail,
  components: [],
})
