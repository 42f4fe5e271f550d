import { ShownConnector } from '../contracts/connectorPayloads.ts'
import type { HostConnector, ManagerEventPayload } from '../contracts/managerPayloads.ts'
import {
  type ManagerReport,
  type SeenConnector,
  type SeenService,
  seenDataSource,
  seenService,
} from './clusterView.ts'
import { shownPayload } from './shownPayload.ts'

/** A manager as its events tell of it; all words are printable. */
export type SeenManager = {
  readonly services: readonly SeenService[]
  /** End of the certificate of its API (RFC 3339); null without a listener. */
  readonly certificateExpires: string | null
  /** Null where its host has no connector, or the connector does not respond. */
  readonly connector: ShownConnector | null
}

/** Returns what is known after an event; undefined before the first snapshot. */
export function afterEvent(
  seen: SeenManager | undefined,
  event: ManagerEventPayload,
): SeenManager | undefined {
  if (event.kind === 'snapshot') {
    const { services, tasks, connector, manager } = event
    return {
      services: services.map((service) => ({
        ...seenService(service),
        task: tasks.findLast((task) => task.service === service.name) ?? null,
      })),
      certificateExpires: manager.tlsCertificateExpiry,
      connector: seenConnector(connector),
    }
  }
  if (seen === undefined) return undefined
  const change = (name: string, changed: (service: SeenService) => SeenService): SeenManager => ({
    ...seen,
    services: seen.services.map((it) => (it.name === name ? changed(it) : it)),
  })
  switch (event.kind) {
    case 'manager':
      return { ...seen, certificateExpires: event.manager.tlsCertificateExpiry }
    case 'service': {
      const { policy, writer } = seenService({ ...event.service, datasources: [] })
      return change(event.service.name, (it) => ({ ...it, policy, writer }))
    }
    case 'datasource': {
      const source = seenDataSource(event.datasource)
      return change(event.datasource.service, (it) => ({
        ...it,
        datasources: it.datasources.map((one) => (one.name === source.name ? source : one)),
      }))
    }
    case 'task':
      return change(event.task.service, (it) => ({ ...it, task: event.task }))
    case 'connector':
      return { ...seen, connector: seenConnector(event.connector) }
  }
}

const seenConnector = (connector: HostConnector | null): SeenManager['connector'] =>
  connector?.status ? shownPayload(ShownConnector, connector.status) : null

/** Returns the report of a manager whose events are followed. */
export const reportOf = (host: string, { services }: SeenManager): ManagerReport => ({ host, services })

/** Returns the connector of a followed manager's host; the manager counts the connections of each data source. */
export function connectorOf({ connector, services }: SeenManager): SeenConnector | null {
  if (connector === null) return null
  const datasources = services.flatMap(({ name: service, datasources: sources }) =>
    sources.flatMap(({ name, connections }) => (connections ? [{ service, name, ...connections }] : [])),
  )
  return { ...connector, datasources }
}
