import { type MetricFamily, single } from '../../api/metricFamilies.ts'
import { connectorModes } from '../../contracts/connectorPayloads.ts'
import type { Connector } from './createConnector.ts'
import { refusalReasons } from './refusal.ts'

/** Measurements of a connector as it is now. */
export function connectorMetrics(connector: Connector): readonly MetricFamily[] {
  const { value, held, datasources } = connector.status()
  const { refused, logins, blocked, unresponsive } = connector.counts()
  const bySource = (count: 'active' | 'created'): MetricFamily['samples'] =>
    datasources.map(({ service, name: datasource, [count]: number }) => ({
      labels: { service, datasource },
      value: number,
    }))
  return [
    {
      name: 'muster_connector_state',
      type: 'gauge',
      help: 'State of the connector: 1 for the one that it is in.',
      samples: connectorModes.map((state) => ({ labels: { state }, value: value === state ? 1 : 0 })),
    },
    {
      name: 'muster_connector_connections_active',
      type: 'gauge',
      help: 'Client connections to each data source now.',
      samples: bySource('active'),
    },
    {
      name: 'muster_connector_connections_created_total',
      type: 'counter',
      help: 'Client connections that were forwarded to each data source.',
      samples: bySource('created'),
    },
    single({
      name: 'muster_connector_connections_held',
      type: 'gauge',
      help: 'Client connections that wait.',
      value: held,
    }),
    {
      name: 'muster_connector_connections_refused_total',
      type: 'counter',
      help: 'Client connections that were answered with an error, by its reason.',
      samples: refusalReasons.map((reason) => ({ labels: { reason }, value: refused.get(reason) ?? 0 })),
    },
    single({
      name: 'muster_connector_logins_pending',
      type: 'gauge',
      help: 'Client connections whose login is under way.',
      value: logins.pending,
    }),
    single({
      name: 'muster_connector_logins_broken_total',
      type: 'counter',
      help: 'Logins that broke off in a way that a server may count against this host (max_connect_errors).',
      value: logins.broken,
    }),
    {
      name: 'muster_connector_blocked',
      type: 'gauge',
      help: 'Whether each data source turns this host away after too many broken logins (error 1129).',
      samples: datasources.map(({ service, name: datasource }) => ({
        labels: { service, datasource },
        value: blocked.includes(datasource) ? 1 : 0,
      })),
    },
    {
      name: 'muster_connector_unresponsive',
      type: 'gauge',
      help: 'Whether each data source accepts connections without greeting in time.',
      samples: datasources.map(({ service, name: datasource }) => ({
        labels: { service, datasource },
        value: unresponsive.includes(datasource) ? 1 : 0,
      })),
    },
    single({
      name: 'muster_connector_map_current',
      type: 'gauge',
      help: 'Whether the services map is the newest: 0 while the manager that it comes from does not answer.',
      value: connector.isCurrent() ? 1 : 0,
    }),
  ]
}
