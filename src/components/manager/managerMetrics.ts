import type { MetricFamily } from '../../api/metricFamilies.ts'
import { policies } from '../../contracts/managerPayloads.ts'
import { dataSourceStates } from '../../contracts/servicesMap.ts'
import type { Manager } from './createManager.ts'

const results = ['passed', 'failed', 'unable'] as const

/** Metrics of a manager from what it knows already. */
export function managerMetrics(manager: Manager): readonly MetricFamily[] {
  const services = manager.map().services.map(({ name }) => name)
  const sources = services.flatMap((service) =>
    manager.views(service).map((view) => ({
      state: manager.shownState(view),
      health: manager.health(view),
      labels: { service, datasource: view.name },
    })),
  )
  return [
    {
      name: 'muster_manager_datasource_state',
      type: 'gauge',
      help: 'State of each data source: 1 for the one that it is in.',
      samples: sources.flatMap(({ labels, state: now }) =>
        dataSourceStates.map((state) => ({ labels: { ...labels, state }, value: state === now ? 1 : 0 })),
      ),
    },
    {
      name: 'muster_manager_service_writer',
      type: 'gauge',
      help: 'Data source that clients write to: 1 for it, 0 for the others.',
      samples: sources.map(({ labels }) => ({
        labels,
        value: manager.writer(labels.service).datasource === labels.datasource ? 1 : 0,
      })),
    },
    {
      name: 'muster_manager_policy',
      type: 'gauge',
      help: 'Policy of each service: 1 for the one that holds.',
      samples: services.flatMap((service) =>
        policies.map((policy) => ({
          labels: { service, policy },
          value: manager.policy(service) === policy ? 1 : 0,
        })),
      ),
    },
    {
      name: 'muster_manager_checks_total',
      type: 'counter',
      help: 'Checks of each data source by result; unable: it was there, but did not let the manager look.',
      samples: sources.flatMap(({ labels, health }) =>
        results.map((result) => ({ labels: { ...labels, result }, value: health.checks[result] })),
      ),
    },
    {
      name: 'muster_manager_check_duration_seconds',
      type: 'gauge',
      help: 'How long the last check of each data source took.',
      samples: sources.flatMap(({ labels, health: { milliseconds } }) =>
        milliseconds === null ? [] : [{ labels, value: milliseconds / 1000 }],
      ),
    },
    {
      name: 'muster_manager_applied_latency_seconds',
      type: 'gauge',
      help: 'Seconds by which a replica is behind; absent while it cannot say.',
      samples: sources.flatMap(({ labels, health: { latency } }) =>
        latency === null ? [] : [{ labels, value: latency }],
      ),
    },
    {
      name: 'muster_manager_state_write_failures_total',
      type: 'counter',
      help: 'How often the state of the manager could not be written.',
      samples: [{ value: manager.writeFailures() }],
    },
  ]
}
