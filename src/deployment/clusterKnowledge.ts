import { addressAndPort } from '../base/address.ts'
import type { ClusterKnowledge, KnownHost } from '../client/clusterPicture.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { PictureComponent } from '../contracts/clusterPicture.ts'
import type { ComponentStatus, HostStatus, ObservedHost } from './hostStatus.ts'

/** Gathers what a survey saw of a cluster, in the order of the hosts seen. */
export function knowledgeOf(options: {
  readonly config: Pick<ClusterConfig, 'cluster' | 'hosts' | 'services'>
  readonly observed: readonly ObservedHost[]
  readonly now: Date
}): ClusterKnowledge {
  const { config, observed, now } = options
  const lags = config.hosts.flatMap(({ monitor }) => monitor?.maxReplicaLag ?? [])
  return {
    name: config.cluster,
    now,
    map: config.services.filter(({ datasources }) => datasources.length > 0),
    maxReplicaLag: lags.length === 0 ? null : Math.min(...lags),
    reports: observed.flatMap(({ report }) => report ?? []),
    hosts: observed.map(({ status }) => knownHost(status)),
  }
}

function knownHost(status: HostStatus): KnownHost {
  const { host: name, address, state, detail = null, release = null, certificateExpires = null } = status
  const clients = status.components.find((one) => one.clients !== undefined)?.clients
  return {
    ...{ name, address, state, detail, release, certificateExpires },
    components: status.components.map(pictureComponent),
    connector: status.connector ?? null,
    clients:
      clients === undefined
        ? null
        : {
            service: clients.service,
            readWrite: addressAndPort(clients.address, clients.port),
            readOnly:
              clients.readonlyPort === null ? null : addressAndPort(clients.address, clients.readonlyPort),
          },
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
