import { type ClusterState, type UserState, withUser } from '../state/clusterState.ts'
import { settled } from './rotation.ts'

/**
 * Carries out a rotation in the one order that loses no login: the state knows the new and the old password before
 * `run` changes a host, and forgets the old one only when every host that is to have the user is proved. Killed
 * anywhere, the next run goes on from what the state says. Returns the hosts that are not proved.
 */
export async function carryOutRotation(options: {
  readonly user: string
  readonly state: ClusterState
  /** The user from now on; see `beginRotation`. */
  readonly next: UserState
  /** See `settled`. */
  readonly given: boolean
  /** All hosts whose file names the user, also those that this run leaves alone. */
  readonly hosts: readonly string[]
  readonly save: (before: ClusterState, after: ClusterState) => Promise<unknown>
  /** Changes and proves hosts; tells which are proved. */
  readonly run: () => Promise<readonly string[]>
}): Promise<readonly string[]> {
  const { user, state, next, given, hosts, save, run } = options
  const during = withUser(state, user, next)
  await save(state, during)
  const proved = await run()
  const behind = hosts.filter((host) => !proved.includes(host))
  if (behind.length === 0) await save(during, settled(during, [{ user, given }]))
  return behind
}
