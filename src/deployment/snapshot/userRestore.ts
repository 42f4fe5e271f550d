import type { UserRecord } from '../../accounts/userFile.ts'
import { quote } from '../../base/shellWords.ts'
import { listOf } from '../../base/words.ts'
import { Secret } from '../../secrets/secret.ts'
import type { Transport } from '../../transport/transport.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { installedUsers, userHash } from '../installedUsers.ts'
import type { ServiceData } from '../layout.ts'
import { ownProgram } from '../ownProgram.ts'
import { mustRun } from '../script.ts'
import { asService, type ServiceAccount } from '../serviceAccount.ts'
import type { DesiredUser } from '../target.ts'

/** Ids of the steps that change users. */
export const stepIds = { written: 'users', removed: 'removed-users' } as const

/**
 * What `take-back-user` needs to know to undo a run's users; undefined where it writes none. Hashes go through
 * standard input alone.
 */
export function writtenUsers(
  users: readonly DesiredUser[],
  { installation }: InstalledFacts,
): Secret | undefined {
  const written = users.flatMap(({ user, hash }) => {
    const before = userHash(installation.users, user)
    return hash === undefined || before === hash ? [] : [{ user, hash, ...(before && { before }) }]
  })
  const [only] = written
  if (only === undefined) return undefined
  return new Secret(JSON.stringify(written.length === 1 ? only : written))
}

/** sh that takes written users back by the program in `folder`; what was written is its standard input. */
export function takeBackScript(options: {
  readonly data: ServiceData
  readonly account: ServiceAccount
  /** Folder of a release. */
  readonly folder: string
  readonly facts: InstalledFacts
}): string {
  const { data, account, folder, facts } = options
  const file = quote(data.usersFile)
  const take = `${ownProgram(folder, `take-back-user --file ${file}`, account)} >/dev/null`
  if (facts.installation.users !== undefined) return take
  // Where there was no file and nobody came in meanwhile, there is none again.
  return `${take} && ${asService(account)}sh -c 'grep -q "\\"user\\":" "$1" || rm -f "$1"' sh ${file}`
}

/** Users of a host that a run removes, as the host has them. */
export const presentUsers = (
  { installation }: InstalledFacts,
  names: readonly string[],
): readonly UserRecord[] => installedUsers(installation.users).filter(({ user }) => names.includes(user))

/**
 * Returns the way back of a run that changes nothing but users: gives those back that were removed, as they were, and to
 * the others the passwords that they had.
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
  async (transport: Transport, begun: readonly string[]): Promise<void> => {
    const { data, facts, users = [], removed = [] } = options
    const restore = async (doing: string, stdin: Secret): Promise<void> => {
      const fix = `Look at ${data.usersFile} on the host, then run the command again.`
      await mustRun(transport, { doing, fix, stdin, script: takeBackScript(options) })
    }
    if (begun.includes(stepIds.removed)) {
      const before = presentUsers(facts, removed).map(({ user, hash }) => ({ user, before: hash }))
      await restore(`giving ${listOf(removed, 'and')} back`, new Secret(JSON.stringify(before)))
    }
    const written = begun.includes(stepIds.written) ? writtenUsers(users, facts) : undefined
    if (written !== undefined) await restore('giving users the passwords they had', written)
  }
