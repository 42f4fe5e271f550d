import { listOf, shortListOf } from '../../base/words.ts'
import { passwordOption } from '../../contracts/databaseAccounts.ts'
import type { AccountGrants, MissingGrants } from '../../deployment/databaseAccounts.ts'

const names = { mariadb: 'MariaDB', mysql: 'MySQL' } as const

/** Summarizes the new database accounts of a plan on one line; undefined if there are none. */
export function newGrantsNote(grants: readonly AccountGrants[]): string | undefined {
  if (grants.length === 0) return undefined
  const accounts = grants.map(({ option, user }) => `'${user}' (${option})`)
  const options = grants.map(({ option }) => `\`muster explain ${option}\``)
  const [account, their] = grants.length === 1 ? ['account', 'its'] : ['accounts', 'their']
  return `the databases need the ${account} ${listOf(accounts)}; install tries ${their} logins, and ${listOf([...new Set(options)])} shows the SQL`
}

/**
 * Writes the SQL for accounts whose login failed, each with the reason; empty if there are none. The
 * passwords are placeholders.
 */
export function grantsText(grants: readonly MissingGrants[]): string {
  if (grants.length === 0) return ''
  const parts = grants.map(
    ({ option, type, sql, ...one }) =>
      `${reasonOf({ option, ...one })}\n\n-- ${option}, ${names[type]}\n${sql}`,
  )
  return `${parts.join('\n')}`
}

/** Returns which accounts the databases did not let in, for the verdict of a run; undefined if there are none. */
export function rejectedText(grants: readonly MissingGrants[]): string | undefined {
  const rejected = grants.filter(({ refused }) => refused)
  if (rejected.length === 0) return undefined
  const accounts = new Set(rejected.map(({ option, user }) => `'${user}' (${option})`))
  return `the databases reject ${listOf([...accounts])}`
}

/** Returns which databases did not prove themselves, for the verdict of a run; undefined if all did. */
export const unprovenText = (unproven: ReadonlyMap<string, string>): string | undefined =>
  unproven.size === 0 ? undefined : `no login at ${listOf([...unproven.keys()])}, which did not prove itself`

function reasonOf({
  option,
  user,
  hosts,
  error,
  refused,
  missing,
  forSwitch,
}: Omit<MissingGrants, 'type' | 'sql'>): string {
  const account = `'${user}' (${option})`
  const consequence = forSwitch
    ? ' Until then the managers refuse to switch the primary; all else works.'
    : ''
  if (error === undefined && missing !== undefined) {
    return `The account ${account} lacks ${listOf(missing)}, seen from ${shortListOf(hosts, 8)}.${consequence}\nGrant what is missing:`
  }
  const what =
    error === undefined
      ? `The login ${account} could not be tried on ${shortListOf(hosts, 8)}.`
      : `No login as ${account} from ${shortListOf(hosts, 8)}: ${error}`
  const wrong = refused ? `Correct ${passwordOption(option)} if it is another one. ` : ''
  return `${what}${consequence}\n${wrong}If the account is missing, create it with the password of your file:`
}
