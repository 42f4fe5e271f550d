import type { UserRecord } from '../../accounts/userFile.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { userHash } from '../installedUsers.ts'
import type { ServiceData } from '../layout.ts'
import { musterApiCommand } from '../musterApiCommand.ts'
import { putUsers } from '../putUsers.ts'
import { runOrThrow } from '../runOrThrow.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { userStepIds } from '../snapshot/userRestore.ts'
import { change, creation, type Step, type StepChange } from '../step.ts'
import type { DesiredUser, Target } from '../target.ts'

/** User with a known password. */
type KnownUser = DesiredUser & { readonly hash: string }

/**
 * Writes users: `muster-api put-user` writes their hashes to the host's user file under the file's own lock, so that
 * users created through the API meanwhile are kept. No password leaves this machine.
 */
export function usersStep(
  options: Pick<Target, 'users'> & {
    readonly data: ServiceData
    readonly account: ServiceAccount
    /** Folder of the release whose program is used. */
    readonly folder: string
    /** Set if running components may be asked to write users themselves. */
    readonly throughComponents?: true
  },
): Step<InstalledFacts> {
  const { data, account, users, folder } = options
  const names = users.map(({ user }) => user)
  const check = (is: InstalledFacts): StepChange | undefined => {
    const { created, reset, hashed } = changesOf(users, is)
    if (created.length + reset.length + hashed.length === 0) return undefined
    const line = ({ user }: DesiredUser, what: string): string => `users.json: ${user}: [redacted] ${what}`
    const made = reset.length + hashed.length === 0
    return (made ? creation : change)(summaryOf({ created, reset, hashed }), [
      ...created.map((user) => line(user, 'new')),
      ...reset.map((user) => line(user, 'changed')),
      ...hashed.map((user) => line(user, 'same password, new hash')),
    ])
  }
  return {
    id: userStepIds.written,
    title: names.length === 0 ? 'no administrator' : titleOf(names),
    phase: 'commit',
    // Requests to a component do not keep the order of a batch.
    ...(options.throughComponents === undefined ? { batchable: true } : {}),
    check,
    apply: async (transport, facts) => {
      const changed = Object.values(changesOf(users, facts)).flat()
      // In file order, which becomes the order of the host's user file.
      const records = users.flatMap((user): readonly UserRecord[] => {
        const known = changed.find((one) => one === user)
        return known === undefined ? [] : [{ user: known.user, access: 'full', hash: known.hash }]
      })
      if (records.length === 0) return
      if (
        options.throughComponents === true &&
        (await putUsers(transport, { data, account, facts, records }))
      )
        return
      await runOrThrow(transport, {
        doing: `setting ${records.length === 1 ? `the password of the administrator ${records[0]?.user}` : 'the passwords of the administrators'}`,
        fix: `Check ${data.usersFile} on the host, then run the command again.`,
        stdin: new Secret(JSON.stringify(records.length === 1 ? records[0] : records)),
        script: musterApiCommand(folder, `put-user --file ${quote(data.usersFile)}`, account),
      })
    },
  }
}

const titleOf = (names: readonly string[]): string =>
  names.length === 1
    ? `set the password of the administrator ${names[0]}`
    : `set the passwords of the administrators ${listOf(names, 'and')}`

/** Changes of users whose hash differs from the host's. */
type Changes = {
  readonly created: readonly KnownUser[]
  readonly reset: readonly KnownUser[]
  /** The password stays; the hash is replaced so that all hosts have the same. */
  readonly hashed: readonly KnownUser[]
}

function changesOf(users: readonly DesiredUser[], { installation }: InstalledFacts): Changes {
  const known = users.flatMap((user) => (isKnown(user) ? [user] : []))
  const is = ({ user }: DesiredUser): string | undefined => userHash(installation.users, user)
  const other = known.filter((user) => is(user) !== undefined && is(user) !== user.hash)
  return {
    created: known.filter((user) => is(user) === undefined),
    reset: other.filter(({ hashedOtherwise }) => hashedOtherwise !== true),
    hashed: other.filter(({ hashedOtherwise }) => hashedOtherwise === true),
  }
}

const isKnown = (user: DesiredUser): user is KnownUser => user.hash !== undefined

function summaryOf({ created, reset, hashed }: Changes): string {
  const words = (one: string, several: string, users: readonly DesiredUser[]): readonly string[] => {
    const names = users.map(({ user }) => user)
    return names.length === 0 ? [] : [`${names.length === 1 ? one : several} ${listOf(names, 'and')}`]
  }
  return [
    ...words('create the administrator', 'create the administrators', created),
    ...words('reset the password of', 'reset the passwords of', reset),
    ...words('rehash the password of', 'rehash the passwords of', hashed),
  ].join(', ')
}
