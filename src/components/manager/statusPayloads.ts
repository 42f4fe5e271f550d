import type { ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import type { DatasourceStatusPayload, ServiceStatusPayload } from '../../contracts/managerPayloads.ts'
import type { DataSourceEntry, ServicesMap } from '../../contracts/servicesMap.ts'
import type { Finding } from './checkResult.ts'
import type { Manager } from './createManager.ts'
import type { DataSourceKey } from './dataSources.ts'
import type { DataSourceView } from './dataSourceTable.ts'
import { rules } from './decideState.ts'
import type { Health } from './health.ts'

/** Connections of clients to a data source; a connector that does not name it has none. */
function connectionsOf({ service, name }: DataSourceKey, connector: ConnectorStatusPayload | null) {
  if (!connector) return null
  const found = connector.datasources.find((it) => it.service === service && it.name === name)
  return { active: found?.active ?? 0, created: found?.created ?? 0 }
}

const notMonitored = 'It is not checked: monitor-user is not set.'

const recovered = 'Its health checks succeed again.'

/** Returns the reason of its state, or of the last check. The reason of a failure stays until it is back. */
function reasonOf(
  { state, reason }: DataSourceView,
  { streak }: Health,
  finding: Finding | null,
): string | null {
  const found = finding?.reason ?? null
  if (state !== 'FAILED') return found ?? reason
  if (found !== null) return found
  return streak.passed >= rules.recover ? [reason ?? [], recovered].flat().join(' ') : reason
}

/** A data source as the API shows it, with its state. */
function statusOf(
  manager: Manager,
  view: DataSourceView,
  connector: ConnectorStatusPayload | null,
): DatasourceStatusPayload {
  const health = manager.health(view)
  const { service, name, host, port, since, by } = view
  const { role, finding, follows } = manager.assessment(view)
  const isUnchecked = view.state === 'ONLINE' && !manager.isMonitoring
  return {
    name,
    service,
    role,
    state: manager.shownState(view),
    host,
    port,
    since,
    by,
    code: finding?.code ?? null,
    reason: isUnchecked ? notMonitored : reasonOf(view, health, finding),
    checkedAt: health.checkedAt?.toISOString() ?? null,
    connections: connectionsOf(view, connector),
    seqno: health.seqno,
    appliedLatency: health.latency,
    relativeLatency: null,
    follows,
    standby: role === 'standby',
    archive: role === 'archive',
    witness: role === 'witness',
  }
}

/** A data source as the API shows it. Throws a `not-found` problem. */
export const dataSourceStatus = (facts: {
  readonly manager: Manager
  readonly key: DataSourceKey
  readonly connector: ConnectorStatusPayload | null
}): DatasourceStatusPayload => statusOf(facts.manager, facts.manager.view(facts.key), facts.connector)

/** A service as the API shows it. Throws a `not-found` problem. */
export function serviceStatus(facts: {
  readonly manager: Manager
  readonly service: string
  readonly connector: ConnectorStatusPayload | null
}): ServiceStatusPayload {
  const { manager, service, connector } = facts
  const { reasons, problem } = manager.failover(service)
  return {
    name: service,
    type: 'physical',
    composite: false,
    multimaster: false,
    policy: manager.policy(service),
    writer: manager.writer(service),
    failover: {
      automatic: reasons.length === 0,
      reason: reasons.length === 0 ? problem : reasons.join(' '),
    },
    datasources: manager.views(service).map((view) => statusOf(manager, view, connector)),
  }
}

function entryOf(manager: Manager, view: DataSourceView): DataSourceEntry {
  const { name, host, port, role } = view
  return { name, host, port, role, state: manager.shownState(view) }
}

/** Returns the services of the map with the states of their data sources. */
export const serviceEntries = (manager: Manager): { name: string; datasources: DataSourceEntry[] }[] =>
  manager.map().services.map(({ name }) => ({
    name,
    datasources: manager.views(name).map((it) => entryOf(manager, it)),
  }))

/** A map without states, as the audit log shows it: `alpha: db1 primary 10.0.0.11:3306`. */
export const mapText = ({ services }: ServicesMap): readonly string[] =>
  services.map(({ name, datasources }) => {
    const sources = datasources.map((it) => `${it.name} ${it.role} ${it.host}:${it.port}`)
    return `${name}: ${sources.join(', ')}`
  })
