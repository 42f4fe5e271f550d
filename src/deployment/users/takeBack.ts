import { quote } from '../../base/shellWords.ts'
import { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/model.ts'
import type { ServiceData } from '../layout.ts'
import { ownProgram } from '../ownProgram.ts'
import { asService, type ServiceAccount } from '../serviceAccount.ts'
import type { DesiredUser } from '../target.ts'
import { userHash } from '../users.ts'

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
