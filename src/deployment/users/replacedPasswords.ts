import type { Hasher } from '../../accounts/passwordHash.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { replacedOn } from '../state/passwordRotation.ts'
import { StepError } from '../stepError.ts'

/** A host and, by user, the passwords that its file gives. */
type GivenPasswords = {
  readonly host: Pick<HostConfig, 'name' | 'users'>
  readonly given: ReadonlyMap<string, Secret>
}

/** A password that a rotation took out of use, and that a file still gives for a host. */
export type StillGiven = {
  readonly host: string
  readonly user: string
  /** What the file names it by. */
  readonly option: string
  /** The day when it was replaced, UTC. */
  readonly date: string
}

/** The same as failures of the hosts: nothing may bring such a password back. */
export const replacedPasswords = async (
  hosts: readonly GivenPasswords[],
  state: ClusterState,
  hash: Hasher,
): Promise<readonly StepError[]> =>
  (await stillGiven(hosts, state, hash)).map(
    ({ host, user, option, date }) =>
      new StepError({
        host,
        code: 'password-replaced',
        message: `the file still has the password of ${user} that was replaced on ${date}`,
        fix: `Update the source of ${option} to the new password, which is in secrets.json of the state directory; or remove the option to use that one.`,
      }),
  )

/**
 * What files still give of passwords that a rotation took out of use. Costs a scrypt for each password of a user who
 * was ever rotated.
 */
export async function stillGiven(
  hosts: readonly GivenPasswords[],
  state: ClusterState,
  hash: Hasher,
): Promise<readonly StillGiven[]> {
  const known: { readonly user: string; readonly password: Secret; readonly date: string | undefined }[] = []
  const found: StillGiven[] = []
  for (const { host, given } of hosts) {
    for (const { user, option } of host.users) {
      const password = given.get(user)
      if (password === undefined) continue
      const before = known.find((one) => one.user === user && one.password.equals(password))
      const date =
        before === undefined ? await replacedOn(state.users.get(user), password, hash) : before.date
      if (before === undefined) known.push({ user, password, date })
      if (date !== undefined) found.push({ host: host.name, user, option, date })
    }
  }
  return found
}
