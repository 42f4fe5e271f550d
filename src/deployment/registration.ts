import type { RegisteredCluster } from '../client/registry.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { Target } from './target.ts'

/** What tapi must know of a cluster: its authorities and where each API listens; no secrets. */
export function registration(config: ClusterConfig, targets: readonly Target[]): RegisteredCluster {
  return {
    version: 1,
    cluster: config.cluster,
    directory: config.directory,
    authorities: [...new Set(targets.flatMap(({ authorities }) => authorities))],
    hosts: config.hosts.map(({ name, address, apis }) => ({
      name,
      address,
      apis: apis
        .filter((api) => api.enabled)
        .map((api) => ({ component: api.component, address: api.address, port: api.port })),
    })),
  }
}
