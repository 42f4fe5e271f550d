import { signal } from '@preact/signals'
import { dataSourceKey, hostOf } from '../state/clusters.ts'
import { mayDo } from '../state/session.ts'
import { clusters } from '../state/stream.ts'
import { shown } from '../text/words.ts'
import {
  connectorOperations,
  dataSourceOperations,
  newUserOperation,
  type Operation,
  replicatorOperations,
  serviceOperations,
  userOperations,
} from './operations.ts'

/** What an operation acts on; `done` is called after a change. */
export type Target = { readonly cluster: string; readonly done?: () => void } & (
  | { readonly kind: 'service'; readonly service: string }
  | { readonly kind: 'datasource'; readonly service: string; readonly name: string }
  | { readonly kind: 'connector' | 'replicator'; readonly host: string }
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'new-user' }
)

/** Target whose dialog is open. */
export const target = signal<Target | null>(null)

/** Names a target as a sentence does: `data source db3`. */
export function targetText(it: Target): string {
  switch (it.kind) {
    case 'service':
      return `service ${shown(it.service)}`
    case 'datasource':
      return `data source ${shown(it.name)}`
    case 'connector':
    case 'replicator':
      return `${it.kind} of ${shown(it.host)}`
    case 'user':
      return `user ${shown(it.user)}`
    case 'new-user':
      return 'a new user'
  }
}

/** Returns the operations that the state of a target and the level of the login allow. */
export function operationsOf(it: Target): readonly Operation[] {
  return stateOperations(it).filter(({ access }) => mayDo(it.cluster, access))
}

function stateOperations(it: Target): readonly Operation[] {
  const cluster = clusters.get(it.cluster)
  if (cluster === undefined) return []
  switch (it.kind) {
    case 'service': {
      const service = cluster.services.get(it.service)
      return service === undefined ? [] : serviceOperations(service, cluster.datasources.all())
    }
    case 'datasource': {
      const datasource = cluster.datasources.get(dataSourceKey(it.service, it.name))
      if (datasource === undefined) return []
      const host = cluster.hosts.get(hostOf(cluster, datasource) ?? '')
      const replicates = host?.components.some(({ component }) => component === 'replicator')
      return dataSourceOperations(datasource, {
        service: cluster.services.get(it.service),
        replicator: replicates === true ? host?.name : undefined,
      })
    }
    case 'connector': {
      const connector = cluster.hosts.get(it.host)?.connector ?? null
      return connector === null ? [] : connectorOperations(it.host, connector)
    }
    case 'replicator':
      return replicatorOperations(it.host)
    case 'user':
      return userOperations(it.user)
    case 'new-user':
      return [newUserOperation]
  }
}
