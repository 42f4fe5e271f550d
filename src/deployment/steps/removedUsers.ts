import type { UserRecord } from '../../accounts/userRecord.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/model.ts'
import type { ServiceData } from '../layout.ts'
import { ownProgram } from '../ownProgram.ts'
import { mustRun } from '../script.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { deletion, type Step } from '../step.ts'
import { takeBackScript } from '../users/takeBack.ts'
import { installedUsers } from '../users.ts'

/**
 * Takes users away, by `muster-api remove-user` under the user file's own lock; one that got another password
 * meanwhile stays. Its undo gives them back as they were.
 */
export function removedUsersStep(options: {
  readonly data: ServiceData
  readonly account: ServiceAccount
  readonly facts: InstalledFacts
  /** Folder of the release whose program writes. */
  readonly folder: string
  readonly names: readonly string[]
}): Step<InstalledFacts> {
  const { data, account, facts, folder, names } = options
  const present = (is: InstalledFacts): readonly UserRecord[] =>
    installedUsers(is.installation.users).filter(({ user }) => names.includes(user))
  const removed = present(facts).map(({ user, hash }) => ({ user, hash }))
  const fix = `Look at ${data.usersFile} on the host, then run the command again.`
  const list = listOf(names, 'and')
  return {
    id: 'removed-users',
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
    apply: async (transport) => {
      await mustRun(transport, {
        doing: `removing ${list}`,
        fix,
        stdin: new Secret(JSON.stringify(removed)),
        script: ownProgram(folder, `remove-user --file ${quote(data.usersFile)}`, account),
      })
    },
    undo: async (transport) => {
      await mustRun(transport, {
        doing: `giving ${list} back`,
        fix,
        stdin: new Secret(JSON.stringify(removed.map(({ user, hash }) => ({ user, before: hash })))),
        script: takeBackScript({ data, account, folder, facts }),
      })
    },
  }
}
