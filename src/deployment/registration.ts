import type { RegisteredCluster } from '../client/registry.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { Target } from './target.ts'

/**
 * What tapi must know of a cluster: its authorities and where each API listens; no secrets. `before` is its
 * record where the run left hosts alone: what that says of them stays, but for authorities that were `retired`.
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
