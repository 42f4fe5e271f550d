import { UsageError } from '../../cli/usageError.ts'
import { shortListOf } from '../../diagnostics/words.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'

/** Throws a `UsageError` where the file names nobody for a host: then nobody could log in there any more. */
export function mustNameUsers(config: SelectedCluster): void {
  const without = namesOf(config.hosts.filter(({ users }) => users.length === 0))
  if (without.length === 0) return
  throw new UsageError(
    `The file names no user for ${shortListOf(without)}.`,
    'Give rest-api-admin-user or rest-api-users, or leave these hosts out with --host.',
  )
}
