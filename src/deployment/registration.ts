import type { RegisteredCluster } from '../client/registry.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { Target } from './target.ts'

/**
 * Returns what tapi needs to know about a cluster: its authorities and the listeners of its APIs; no secrets.
 * `before` is the present record if the run excluded hosts: its entries for them stay, except for `retired`
 * authorities.
 */
export function registration(
  config: ClusterConfig,
  targets: readonly Pick<Target, 'authorities'>[],
  before?: RegisteredCluster,
  retired: readonly string[] = [],
): RegisteredCluster {
  const hosts = config.hosts.map(({ name, address, apis }) => ({
    name,
    address,
    apis: apis
      .filter((api) => api.enabled)
      .map((api) => ({ component: api.component, address: api.address, port: api.port })),
  }))
  const kept = before?.hosts ?? []
  const known = kept.map((host) => hosts.find(({ name }) => name === host.name) ?? host)
  const added = hosts.filter(({ name }) => !kept.some((host) => host.name === name))
  const authorities = targets.flatMap((target) => target.authorities)
  return {
    version: 1,
    cluster: config.cluster,
    directory: config.directory,
    authorities: [...new Set([...(before?.authorities ?? []), ...authorities])].filter(
      (authority) => !retired.includes(authority),
    ),
    hosts: [...known, ...added],
  }
}
