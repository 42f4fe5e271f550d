import type { Policy } from '../../contracts/managerPayloads.ts'
import type { RecordedState } from '../../contracts/servicesMap.ts'
import type { Finding } from './checkResult.ts'
import type { Answer } from './takenOffline.ts'

/** Number of checks in a row that decide. */
export const rules = {
  /** Failed ones that fence an ONLINE data source. */
  fence: 3,
  /** Passed ones that bring a FAILED one back. */
  recover: 2,
  /** Passed ones after which an OFFLINE one comes back: about ten seconds. */
  comeBack: 5,
} as const

/** Results of the last checks in a row, since the data source came into its state. At most one of both is not 0. */
export type Streak = { readonly failed: number; readonly passed: number }

export const noStreak: Streak = { failed: 0, passed: 0 }

/** Returns the streak after one more check; one that could not be made ends it. */
export function nextStreak({ failed, passed }: Streak, result: Finding['result']): Streak {
  if (result === 'failed') return { failed: failed + 1, passed: 0 }
  return result === 'passed' ? { failed: 0, passed: passed + 1 } : noStreak
}

/**
 * Returns the state that the manager itself puts a data source into; undefined for no change (contract.md,
 * "Manager"). The results know of the other servers of the service; no state makes another server the primary.
 */
export function decideState(facts: {
  readonly state: RecordedState
  readonly policy: Policy
  readonly streak: Streak
  /** Person who took its replication offline, so that it fails; see `Answer`. */
  readonly takenOffline: Answer
  /** True for an OFFLINE one that is so because of its replication, not by a call for the data source. */
  readonly followsReplication: boolean
}): 'FAILED' | 'ONLINE' | 'OFFLINE' | undefined {
  const { state, policy, streak, takenOffline, followsReplication } = facts
  if (policy === 'MAINTENANCE') return undefined
  const hasFailed = streak.failed >= rules.fence
  if (hasFailed && takenOffline && (state === 'ONLINE' || state === 'FAILED')) return 'OFFLINE'
  if (hasFailed && takenOffline === null && state === 'OFFLINE' && followsReplication) return 'FAILED'
  if (state === 'ONLINE') return hasFailed ? 'FAILED' : undefined
  if (policy !== 'AUTOMATIC') return undefined
  if (state === 'FAILED') return streak.passed >= rules.recover ? 'ONLINE' : undefined
  if (state === 'OFFLINE') return streak.passed >= rules.comeBack ? 'ONLINE' : undefined
  return undefined
}
