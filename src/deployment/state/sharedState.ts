import { listOf } from '../../base/words.ts'
import type { ClusterState } from './clusterState.ts'
import { StateError } from './stateError.ts'
import { type StatePlace, stateFolder } from './statePlace.ts'

/**
 * Throws a `StateError` if a run of one shard would make what all hosts share: a run of another shard, with another
 * state directory, would make a different one.
 */
export function requireSharedState(
  options: StatePlace & {
    /** Such as `2/5`; absent for a run that is not of a shard. */
    readonly shard?: string
    readonly before: ClusterState
    readonly after: ClusterState
  },
): void {
  const { shard, before, after } = options
  if (shard === undefined) return
  const users = [...after.users].flatMap(([user, { password }]) => {
    const known = before.users.get(user)?.password
    return password === undefined || known?.equals(password) === true ? [] : [`the password of ${user}`]
  })
  const isNew = before.authority === undefined && after.authority !== undefined
  const made = [...(isNew ? ['the certificate authority'] : []), ...users]
  if (made.length === 0) return
  throw new StateError({
    code: 'shared-by-all',
    message: `a run with --shard ${shard} would make ${listOf(made)}, which all shards share, and ${stateFolder(options)} does not have`,
    fix: 'if another machine has it, take its state over: `muster state export --out FILE` there, `muster state import --from FILE` here (move an older state away first). If none has, run the command once without --shard on one machine, for an installation with a single --host, then do the same',
  })
}
