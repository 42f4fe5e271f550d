import { addressAndPort } from '../base/address.ts'
import { type ClusterKnowledge, type KnownHost, unreportedSource } from '../client/clusterPicture.ts'
import type { ClusterConfig } from '../config/model.ts'
import { clientAddresses } from '../contracts/clientAddresses.ts'
import type { ClusterPicture, PictureComponent } from '../contracts/clusterPicture.ts'
import type { MapService } from '../contracts/servicesMap.ts'
import type { ComponentStatus, HostStatus, ObservedHost } from './hostStatus.ts'

/** Returns the picture that a file describes; nobody was asked. */
export function configuredPicture({
  cluster,
  hosts,
  services,
}: Pick<ClusterConfig, 'cluster' | 'hosts' | 'services'>): ClusterPicture {
  const described = services.filter(({ datasources }) => datasources.length > 0)
  const primaryOf = (service: MapService): string | null =>
    service.datasources.find(({ role }) => role === 'primary')?.name ?? null
  return {
    name: cluster,
    verdict: { level: 'unknown', problems: [] },
    services: described.map((service) => ({
      name: service.name,
      policy: null,
      failover: null,
      writer: { datasource: primaryOf(service), code: null, reason: null, hold: false },
      managersAgree: true,
      task: null,
    })),
    datasources: described.flatMap((service) =>
      service.datasources.map((source) => ({
        ...unreportedSource(service.name, source),
        follows: source.role === 'primary' || source.role === 'witness' ? null : primaryOf(service),
      })),
    ),
    hosts: hosts.map(({ name, address, proxy, tls }) => ({
      ...{ name, address, state: 'unknown', detail: null, release: null, certificateExpires: null },
      certificateWarningDays: tls.warningDays,
      components: [],
      connector:
        proxy === undefined
          ? null
          : {
              ...{ value: 'ONLINE', reason: null, active: 0, held: 0, created: 0 },
              clients: clientAddresses(proxy, address),
            },
    })),
  }
}

/** Gathers what a survey saw of a cluster, in the order of the hosts seen. */
export function knowledgeOf(options: {
  readonly config: Pick<ClusterConfig, 'cluster' | 'hosts' | 'services'>
  readonly observed: readonly ObservedHost[]
  readonly now: Date
}): ClusterKnowledge {
  const { config, observed, now } = options
  const warningDays = new Map(config.hosts.map(({ name, tls }) => [name, tls.warningDays]))
  return {
    name: config.cluster,
    now,
    map: config.services.filter(({ datasources }) => datasources.length > 0),
    reports: observed.flatMap(({ report }) => report ?? []),
    hosts: observed.map(({ status }) => knownHost(status, warningDays.get(status.host) ?? 0)),
  }
}

function knownHost(status: HostStatus, certificateWarningDays: number): KnownHost {
  const { host: name, address, state, detail = null, release = null, certificateExpires = null } = status
  const clients = status.components.find((one) => one.clients !== undefined)?.clients
  return {
    ...{ name, address, state, detail, release, certificateExpires, certificateWarningDays },
    components: status.components.map(pictureComponent),
    connector: status.connector ?? null,
    clients: clients === undefined ? null : clientAddresses(clients, address),
  }
}

const stopped = { stopped: null, failed: 'its service failed', absent: 'it is not installed' } as const

function pictureComponent({
  component,
  service,
  listen,
  api,
  detail,
  ready,
  reason,
}: ComponentStatus): PictureComponent {
  const place = { component, listen: listen && addressAndPort(listen.address, listen.port) }
  if (service !== 'running') return { ...place, state: 'stopped', reason: stopped[service] }
  if (api === 'silent') return { ...place, state: 'silent', reason: detail ?? null }
  if (ready === false) return { ...place, state: 'not-ready', reason: reason ?? null }
  return { ...place, state: 'ready', reason: null }
}
