import type { UserRecord } from '../../accounts/userFile.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import type { ServiceData } from '../layout.ts'
import { musterApiCommand } from '../musterApiCommand.ts'
import { runOrThrow } from '../runOrThrow.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { presentUsers, userStepIds } from '../snapshot/userRestore.ts'
import { deletion, type Step } from '../step.ts'

/**
 * Removes users by `muster-api remove-user` under the user file's own lock; keeps one whose password or level was
 * changed meanwhile.
 */
export function removedUsersStep(options: {
  readonly data: ServiceData
  readonly account: ServiceAccount
  /** Folder of the release whose program is used. */
  readonly folder: string
  readonly names: readonly string[]
}): Step<InstalledFacts> {
  const { data, account, folder, names } = options
  const present = (is: InstalledFacts): readonly UserRecord[] => presentUsers(is, names)
  const list = listOf(names, 'and')
  return {
    id: userStepIds.removed,
    title: names.length === 0 ? 'no user to remove' : `remove ${list}`,
    phase: 'commit',
    batchable: true,
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
      const removed = present(facts)
      await runOrThrow(transport, {
        doing: `removing ${list}`,
        fix: `Check ${data.usersFile} on the host, then run the command again.`,
        stdin: new Secret(JSON.stringify(removed)),
        script: musterApiCommand(folder, `remove-user --file ${quote(data.usersFile)}`, account),
      })
    },
  }
}
