import type { UserRecord } from '../../accounts/userFile.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import type { ServiceData } from '../layout.ts'
import { ownProgram } from '../ownProgram.ts'
import { mustRun } from '../script.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { presentUsers, stepIds } from '../snapshot/userRestore.ts'
import { deletion, type Step } from '../step.ts'

/**
 * Takes users away, by `muster-api remove-user` under the user file's own lock; one that got another password
 * meanwhile stays.
 */
export function removedUsersStep(options: {
  readonly data: ServiceData
  readonly account: ServiceAccount
  /** Folder of the release whose program writes. */
  readonly folder: string
  readonly names: readonly string[]
}): Step<InstalledFacts> {
  const { data, account, folder, names } = options
  const present = (is: InstalledFacts): readonly UserRecord[] => presentUsers(is, names)
  const list = listOf(names, 'and')
  return {
    id: stepIds.removed,
    title: names.length === 0 ? 'no user to remove' : `remove ${list}`,
    phase: 'commit',
    atOnce: true,
    check: (is) => {
      const users = present(is).map(({ user }) => user)
      return users.length === 0
        ? undefined
        : deletion(
            `remove the ${users.length === 1 ? 'user' : 'users'} ${listOf(users, 'and')}`,
            users.map((user) => `users.json: ${user}: [redacted] removed`),
          )
    },
    apply: async (transport, facts) => {
      const removed = present(facts).map(({ user, hash }) => ({ user, hash }))
      await mustRun(transport, {
        doing: `removing ${list}`,
        fix: `Look at ${data.usersFile} on the host, then run the command again.`,
        stdin: new Secret(JSON.stringify(removed)),
        script: ownProgram(folder, `remove-user --file ${quote(data.usersFile)}`, account),
      })
    },
  }
}
