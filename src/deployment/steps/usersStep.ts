import type { UserRecord, UserUpdate } from '../../accounts/userFile.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { type AccessLevel, accessLevels } from '../../contracts/accessLevels.ts'
import { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { installedUser } from '../installedUsers.ts'
import type { ServiceData } from '../layout.ts'
import { musterApiCommand } from '../musterApiCommand.ts'
import { putUsers } from '../putUsers.ts'
import { runOrThrow } from '../runOrThrow.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { userStepIds } from '../snapshot/userRestore.ts'
import { change, creation, type Step, type StepChange } from '../step.ts'
import type { DesiredUser, StepTarget } from '../target.ts'

/**
 * Writes users: `muster-api put-user` writes their hashes and levels to the host's user file under the file's own lock,
 * so that users created through the API meanwhile are kept. No password leaves this machine.
 */
export function usersStep(
  options: Pick<StepTarget, 'users'> & {
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
    const changes = changesOf(users, is)
    if (changes.length === 0) return undefined
    const made = changes.every(({ before }) => before === undefined)
    return (made ? creation : change)(summaryOf(changes), changes.flatMap(detailsOf))
  }
  return {
    id: userStepIds.written,
    title: names.length === 0 ? 'no user' : titleOf(names),
    phase: 'commit',
    // Requests to a component do not keep the order of a batch.
    ...(options.throughComponents === undefined ? { batchable: true } : {}),
    check,
    apply: async (transport, facts) => {
      // In file order, which becomes the order of the host's user file.
      const updates = changesOf(users, facts).map(({ update }) => update)
      const [only, ...others] = updates
      if (only === undefined) return
      if (
        options.throughComponents === true &&
        (await putUsers(transport, { data, account, facts, updates }))
      )
        return
      await runOrThrow(transport, {
        doing: `setting the ${others.length === 0 ? `user ${only.user}` : 'users'}`,
        fix: `Check ${data.usersFile} on the host, then run the command again.`,
        stdin: new Secret(JSON.stringify(others.length === 0 ? only : updates)),
        script: musterApiCommand(folder, `put-user --file ${quote(data.usersFile)}`, account),
      })
    },
  }
}

const titleOf = (names: readonly string[]): string =>
  `set the ${names.length === 1 ? 'user' : 'users'} ${listOf(names, 'and')}`

/** Change of a user whose hash or level differs from the host's. */
type UserChange = {
  readonly before: UserRecord | undefined
  readonly update: UserUpdate
  /** The password stays; the hash is replaced so that all hosts have the same. */
  readonly isRehash: boolean
}

const changesOf = (users: readonly DesiredUser[], { installation }: InstalledFacts): readonly UserChange[] =>
  users.flatMap(({ user, hash, access, hashedOtherwise: isRehash = false }) => {
    const before = installedUser(installation.users, user)
    const newHash = hash === before?.hash ? undefined : hash
    if (before === undefined && newHash === undefined) return []
    const newAccess = access === before?.access ? undefined : access
    if (newHash === undefined && newAccess === undefined) return []
    // A level travels with its password, but a password that stays is not sent again: somebody may change it meanwhile.
    const update = { user, ...(access && { access }), ...(newHash && { hash: newHash }) }
    return [{ before, update, isRehash }]
  })

/** New level of a user that the host has already. */
const changedLevel = ({ before, update }: UserChange): AccessLevel | undefined =>
  before === undefined || update.access === before.access ? undefined : update.access

function detailsOf(userChange: UserChange): readonly string[] {
  const { before, update, isRehash } = userChange
  const { user, access = 'full', hash } = update
  const line = (what: string): string => `users.json: ${user}: ${what}`
  if (before === undefined) {
    return [line(access === 'full' ? '[redacted] new' : `[redacted] new, access level ${access}`)]
  }
  const level = changedLevel(userChange)
  return [
    ...(hash === undefined ? [] : [line(`[redacted] ${isRehash ? 'same password, new hash' : 'changed'}`)]),
    ...(level === undefined ? [] : [line(`access level ${before.access} → ${level}`)]),
  ]
}

function summaryOf(changes: readonly UserChange[]): string {
  const words = (one: string, several: string, of: (change: UserChange) => boolean): readonly string[] => {
    const names = changes.filter(of).map(({ update }) => update.user)
    return names.length === 0 ? [] : [`${names.length === 1 ? one : several} ${listOf(names, 'and')}`]
  }
  const creates = ({ before, update }: UserChange, level: AccessLevel): boolean =>
    before === undefined && (update.access ?? 'full') === level
  const resets = ({ before, update }: UserChange): boolean =>
    before !== undefined && update.hash !== undefined
  return [
    ...words('create the administrator', 'create the administrators', (one) => creates(one, 'full')),
    ...lowerLevels.flatMap((level) =>
      words(`create the ${level} user`, `create the ${level} users`, (one) => creates(one, level)),
    ),
    ...words('reset the password of', 'reset the passwords of', (one) => resets(one) && !one.isRehash),
    ...words('rehash the password of', 'rehash the passwords of', (one) => resets(one) && one.isRehash),
    ...accessLevels.flatMap((level) => {
      const start = `set the access level ${level} for`
      return words(start, start, (one) => changedLevel(one) === level)
    }),
  ].join(', ')
}

const lowerLevels = accessLevels.filter((level) => level !== 'full')
