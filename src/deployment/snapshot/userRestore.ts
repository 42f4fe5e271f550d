import { type UserRecord, writeUserChange } from '../../accounts/userFile.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { Secret } from '../../secrets/secret.ts'
import type { Transport } from '../../transport/transport.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { installedUser, installedUsers } from '../installedUsers.ts'
import type { ServiceData } from '../layout.ts'
import { musterApiCommand } from '../musterApiCommand.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { asService, type ServiceAccount } from '../serviceAccount.ts'
import type { DesiredUser } from '../target.ts'

/** Ids of the steps that change users. */
export const userStepIds = { written: 'users', removed: 'removed-users' } as const

/**
 * Returns the input of `take-back-user` to restore a run's users; undefined if it writes and removes none. Hashes are
 * sent only on standard input.
 */
export function writtenUsers(
  users: readonly DesiredUser[],
  facts: InstalledFacts,
  removed: readonly string[] = [],
): Secret | undefined {
  const { installation } = facts
  const changed = users.flatMap(({ user, ...desired }) => {
    const before = installedUser(installation.users, user)
    const { hash = before?.hash, access = before?.access ?? 'full' } = desired
    if (hash === undefined || (before?.hash === hash && before.access === access)) return []
    return [writeUserChange({ user, written: { hash, access }, ...(before && { before }) })]
  })
  const written = [...changed, ...removedChanges(facts, removed)]
  const [only] = written
  if (only === undefined) return undefined
  return new Secret(JSON.stringify(written.length === 1 ? only : written))
}

/** Returns sh that restores written users with the program in `folder`; their list is its standard input. */
export function restoreUsersScript(options: {
  readonly data: ServiceData
  readonly account: ServiceAccount
  /** Folder of a release. */
  readonly folder: string
  readonly facts: InstalledFacts
}): string {
  const { data, account, folder, facts } = options
  const file = quote(data.usersFile)
  const take = `${musterApiCommand(folder, `take-back-user --file ${file}`, account)} >/dev/null`
  if (facts.installation.users !== undefined) return take
  // If there was no file and no user was added meanwhile, the file is removed again.
  return `${take} && ${asService(account)}sh -c 'grep -q "\\"user\\":" "$1" || rm -f "$1"' sh ${file}`
}

/** Returns the entries of users that a run removes, as the host has them. */
export const presentUsers = (
  { installation }: InstalledFacts,
  names: readonly string[],
): readonly UserRecord[] => installedUsers(installation.users).filter(({ user }) => names.includes(user))

const removedChanges = (facts: InstalledFacts, names: readonly string[]): readonly object[] =>
  presentUsers(facts, names).map(({ user, ...record }) => writeUserChange({ user, before: record }))

/**
 * Returns the restore of a run that changes only users: adds removed users again, and gives the others their previous
 * passwords and levels.
 */
export const restoreUsers =
  (options: {
    readonly data: ServiceData
    readonly account: ServiceAccount
    /** Folder of a release. */
    readonly folder: string
    readonly facts: InstalledFacts
    readonly users?: readonly DesiredUser[]
    readonly removed?: readonly string[]
  }) =>
  async (transport: Transport, started: readonly string[]): Promise<void> => {
    const { data, facts, users = [], removed = [] } = options
    const restore = async (doing: string, stdin: Secret): Promise<void> => {
      const fix = `Check ${data.usersFile} on the host, then run the command again.`
      await runOrThrow(transport, { doing, fix, stdin, script: restoreUsersScript(options) })
    }
    if (started.includes(userStepIds.removed)) {
      const before = new Secret(JSON.stringify(removedChanges(facts, removed)))
      await restore(`restoring ${listOf(removed, 'and')}`, before)
    }
    const written = started.includes(userStepIds.written) ? writtenUsers(users, facts) : undefined
    if (written !== undefined) await restore('restoring the previous passwords and levels', written)
  }
