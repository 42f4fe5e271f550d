import type { ScryptCost } from '../../accounts/phc.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'
import { replacedOn } from './rotation.ts'

/** A host and, by user, the passwords that its file gives. */
type GivenPasswords = {
  readonly host: Pick<HostConfig, 'name' | 'users'>
  readonly given: ReadonlyMap<string, Secret>
}

/**
 * The hosts whose file still gives a password that a rotation took out of use: nothing may bring that back. Costs a
 * scrypt for each password of a user who was ever rotated.
 */
export async function replacedPasswords(
  hosts: readonly GivenPasswords[],
  state: ClusterState,
  cost?: ScryptCost,
): Promise<readonly StepError[]> {
  const known: { readonly user: string; readonly password: Secret; readonly date: string | undefined }[] = []
  const problems: StepError[] = []
  for (const { host, given } of hosts) {
    for (const { user, option } of host.users) {
      const password = given.get(user)
      if (password === undefined) continue
      const before = known.find((one) => one.user === user && one.password.equals(password))
      const date =
        before === undefined ? await replacedOn(state.users.get(user), password, cost) : before.date
      if (before === undefined) known.push({ user, password, date })
      if (date === undefined) continue
      problems.push(
        new StepError({
          host: host.name,
          code: 'password-replaced',
          message: `the file still gives the password replaced on ${date}, of the user ${user}`,
          fix: `Let what ${option} names yield the new password, which secrets.json of the state directory keeps; or leave it out, and the kept one is taken.`,
        }),
      )
    }
  }
  return problems
}
