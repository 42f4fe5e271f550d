import type { ClusterConfig } from '../config/model.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { mustBeHosts } from './mustBeHosts.ts'

/** The order that the command line asks for, with the hosts that there are. Throws a `UsageError`. */
export function rolloutFor(config: ClusterConfig, rollout: Rollout): Rollout {
  const { canary } = rollout
  if (canary !== undefined && canary !== 'first') mustBeHosts(config, '--canary-host', [canary.host])
  const primaries = config.services.flatMap(({ datasources }) =>
    datasources.flatMap(({ name, role }) => (role === 'primary' ? [name] : [])),
  )
  return primaries.length === 0 ? rollout : { ...rollout, primaries }
}
