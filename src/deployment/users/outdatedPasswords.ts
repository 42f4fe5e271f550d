import type { Hasher } from '../../accounts/passwordHash.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { replacementDate } from '../state/passwordRotation.ts'
import { StepError } from '../stepError.ts'

/** Host and, by user, the passwords in its file. */
type GivenPasswords = {
  readonly host: Pick<HostConfig, 'name' | 'users'>
  readonly given: ReadonlyMap<string, Secret>
}

/** Password that a rotation replaced and that a file still gives for a host. */
export type OutdatedPassword = {
  readonly host: string
  readonly user: string
  /** Name of its option in the file. */
  readonly option: string
  /** Day of its replacement, UTC. */
  readonly date: string
}

/** Reports replaced passwords as failures of the hosts: no run may restore such a password. */
export const outdatedPasswordFailures = async (
  hosts: readonly GivenPasswords[],
  state: ClusterState,
  hash: Hasher,
): Promise<readonly StepError[]> =>
  (await outdatedPasswords(hosts, state, hash)).map(
    ({ host, user, option, date }) =>
      new StepError({
        host,
        code: 'password-replaced',
        message: `the file still has the password of ${user} that was replaced on ${date}`,
        fix: `Update the source of ${option} to the new password, which is in secrets.json of the state directory; or remove the option to use that one.`,
      }),
  )

/** Finds replaced passwords that files still give. Costs a scrypt for each password of a user with a rotation. */
export async function outdatedPasswords(
  hosts: readonly GivenPasswords[],
  state: ClusterState,
  hash: Hasher,
): Promise<readonly OutdatedPassword[]> {
  const known: { readonly user: string; readonly password: Secret; readonly date: string | undefined }[] = []
  const found: OutdatedPassword[] = []
  for (const { host, given } of hosts) {
    for (const { user, option } of host.users) {
      const password = given.get(user)
      if (password === undefined) continue
      const before = known.find((one) => one.user === user && one.password.equals(password))
      const date =
        before === undefined ? await replacementDate(state.users.get(user), password, hash) : before.date
      if (before === undefined) known.push({ user, password, date })
      if (date !== undefined) found.push({ host: host.name, user, option, date })
    }
  }
  return found
}
