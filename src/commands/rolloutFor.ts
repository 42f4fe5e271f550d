import type { ClusterConfig } from '../config/model.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { shortListOf } from '../diagnostics/words.ts'
import { UsageError } from './usageError.ts'

/** The order that the command line asks for, with the hosts that there are. Throws a `UsageError`. */
export function rolloutFor(config: ClusterConfig, rollout: Rollout): Rollout {
  const { canary } = rollout
  if (canary === undefined || canary === 'first') return rollout
  const names = config.hosts.map(({ name }) => name)
  if (names.includes(canary.host)) return rollout
  const meant = nearest(canary.host, names)
  throw new UsageError(
    `--canary-host ${canary.host} is no host of ${config.cluster}.`,
    meant === undefined ? `The file has ${shortListOf(names, 8)}.` : `Did you mean ${meant}?`,
  )
}
