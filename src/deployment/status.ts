import { addressAndPort } from '../base/address.ts'
import type { CallRequest, CallResult } from '../client/call.ts'
import type { ApiConfig, HostConfig } from '../config/model.ts'
import { type Component, hasDatabase, withoutDatabase } from '../contracts/component.ts'
import type { ProxySettings } from '../contracts/serverSettings.ts'
import type { MapService } from '../contracts/servicesMap.ts'
import { TransportError } from '../transport/transportError.ts'
import { callHost } from './callHost.ts'
import type { ServiceState } from './facts/hostFacts.ts'
import { failureOf } from './failure.ts'
import { layoutOf } from './layout.ts'
import { installedAccount, installedData } from './service.ts'
import type { SurveyedHost } from './survey.ts'

/** Where clients of the database connect: `clients of alpha at 127.0.0.1:9999, to read at 127.0.0.1:9998`. */
export function clientsText({
  service,
  address,
  port,
  readonlyPort,
}: Pick<ProxySettings, 'service' | 'address' | 'port' | 'readonlyPort'>): string {
  const read = readonlyPort === null ? '' : `, to read at ${addressAndPort(address, readonlyPort)}`
  return `clients of ${service} at ${addressAndPort(address, port)}${read}`
}

/** A component as it is now. */
type ComponentStatus = {
  readonly component: Component
  readonly service: ServiceState
  /** Where its API should listen; null when it is switched off. */
  readonly listen: { readonly address: string; readonly port: number } | null
  readonly api: 'answers' | 'silent' | 'off'
  /** Where a connector should take clients of the database. */
  readonly clients?: Pick<ProxySettings, 'service' | 'address' | 'port' | 'readonlyPort'>
  /** Why the API is silent. */
  readonly detail?: string
  /** What it leaves undone, as the file says; nothing is wrong. */
  readonly note?: string
}

/** A host as it is now. */
export type HostStatus = {
  readonly host: string
  readonly address: string
  readonly state: 'up' | 'unreachable' | 'failed' | 'not-installed'
  readonly detail?: string
  readonly release?: string
  /** When the certificate its APIs show ends (RFC 3339). */
  readonly certificateExpires?: string
  readonly components: readonly ComponentStatus[]
}

/** Milliseconds that an API has for its ping. */
const pingTimeout = 4_000

/**
 * Asks a reached host's services and pings each API there over its own address. Changes nothing. Rejects
 * with a `TransportError` when the host is lost meanwhile.
 */
export async function hostStatus(options: {
  readonly surveyed: SurveyedHost
  readonly cluster: string
  /** The services map that the host is installed with. */
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
    // A host that is lost meanwhile is not up, whatever its facts said.
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
  // Without its account the replicator is handed no database.
  const given = { component, services, proxy, database: database?.account }
  return hasDatabase(given) ? {} : { note: withoutDatabase[component] }
}

function clientsOf({ proxy }: HostConfig): Pick<ComponentStatus, 'clients'> {
  if (proxy === undefined) return {}
  const { service, address, port, readonlyPort } = proxy
  return { clients: { service, address, port, readonlyPort } }
}

/** A host that could not be asked. */
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
