import type { UserRecord } from '../../accounts/userFile.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { userHash } from '../installedUsers.ts'
import type { ServiceData } from '../layout.ts'
import { ownProgram } from '../ownProgram.ts'
import { putUsers } from '../putUsers.ts'
import { mustRun } from '../script.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { stepIds } from '../snapshot/userRestore.ts'
import { change, creation, type Step, type StepChange } from '../step.ts'
import type { DesiredUser, Target } from '../target.ts'

/** A user whose password is known here. */
type KnownUser = DesiredUser & { readonly hash: string }

/**
 * The users: `muster-api put-user` writes their hashes into the host's user file under the file's own lock, so
 * that users made through the API meanwhile are kept. No password leaves this machine.
 */
export function usersStep(
  options: Pick<Target, 'users'> & {
    readonly data: ServiceData
    readonly account: ServiceAccount
    /** Folder of the release whose program writes. */
    readonly folder: string
    /** Set where components may be asked to write users themselves. */
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
      ...hashed.map((user) => line(user, 'the same password, hashed anew')),
    ])
  }
  return {
    id: stepIds.written,
    title: names.length === 0 ? 'no administrator' : titleOf(names),
    phase: 'commit',
    // What is asked of a component does not keep the order of what travels together.
    ...(options.throughComponents === undefined ? { atOnce: true } : {}),
    check,
    apply: async (transport, facts) => {
      const changed = Object.values(changesOf(users, facts)).flat()
      // In the order of the file, so that a host's user file has them so, too.
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
      await mustRun(transport, {
        doing: `giving ${records.length === 1 ? `the administrator ${records[0]?.user} its password` : 'users their passwords'}`,
        fix: `Look at ${data.usersFile} on the host, then run the command again.`,
        stdin: new Secret(JSON.stringify(records.length === 1 ? records[0] : records)),
        script: ownProgram(folder, `put-user --file ${quote(data.usersFile)}`, account),
      })
    },
  }
}

const titleOf = (names: readonly string[]): string =>
  names.length === 1
    ? `give the administrator ${names[0]} its password`
    : `give the administrators ${listOf(names, 'and')} their passwords`

/** Users whose hash a host does not have, by what becomes of them. */
type Changes = {
  readonly created: readonly KnownUser[]
  readonly reset: readonly KnownUser[]
  /** The password stays: all hosts are to have one hash of it. */
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
    ...words('hash anew the same password of', 'hash anew the same passwords of', hashed),
  ].join(', ')
}
