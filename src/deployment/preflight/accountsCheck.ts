import { listOf } from '../../base/words.ts'
import { type DatabaseLogin, passwordOption } from '../../contracts/databaseAccounts.ts'
import { type Check, failure, ok, type Verdict, warning } from './checkContract.ts'

/** Checks that the databases let in the accounts of what is installed, and that these have the privileges of a switch. */
export const accountsCheck: Check = {
  id: 'accounts',
  describe: ({ logins = [] }) => {
    if (logins.length === 0) return ok('not checked: nothing installed here logs in to a database')
    const bad = new Map(logins.flatMap(verdictsOn).map((one) => [one.reason, one]))
    if (bad.size > 0) return [...bad.values()]
    const places = [...new Set(logins.map(({ place }) => place))]
    return ok(`the databases let its accounts in: ${listOf(places)}`)
  },
}

const unprovenFix =
  'Until then managers do not see this database. `openssl s_client -starttls mysql -connect HOST:PORT` shows its certificate.'

function verdictsOn({
  option,
  user,
  place,
  error,
  refused,
  unproven,
  missing,
}: DatabaseLogin): readonly Verdict[] {
  const sql = `\`muster explain ${option}\` shows the SQL`
  const account = user === undefined ? option : `'${user}' (${option})`
  if (error !== undefined && refused) {
    return failure(
      `no login as ${account} at ${place}: ${error}`,
      `Correct ${passwordOption(option)} and run \`muster install\`, or create the account: ${sql}.`,
    )
  }
  if (error !== undefined && unproven) {
    return failure(`no login at ${place}: ${error}`, unprovenFix)
  }
  if (error !== undefined) {
    return warning(
      `no login as ${account} at ${place}: ${error}`,
      `Start the database, or create the account: ${sql}.`,
    )
  }
  if (missing === undefined) return []
  return warning(
    `${option} lacks ${listOf(missing)} at ${place}, so that the managers refuse to switch the primary`,
    `Grant what is missing: ${sql}.`,
  )
}
