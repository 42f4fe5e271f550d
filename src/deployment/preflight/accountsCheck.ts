import { listOf } from '../../base/words.ts'
import { type DatabaseLogin, passwordOption } from '../../contracts/databaseAccounts.ts'
import { type Check, failure, ok, type Verdict, warning } from './checkContract.ts'

/** Checks that the databases let in the accounts of what is installed, and that these have the privileges of a switch. */
export const accountsCheck: Check = {
  id: 'accounts',
  describe: ({ logins = [] }) => {
    if (logins.length === 0) return ok('not checked: nothing installed here logs in to a database')
    const bad = logins.flatMap(verdictsOn)
    if (bad.length > 0) return bad
    const places = [...new Set(logins.map(({ place }) => place))]
    return ok(`the databases let its accounts in: ${listOf(places)}`)
  },
}

function verdictsOn({ option, user, place, error, refused, missing }: DatabaseLogin): readonly Verdict[] {
  const sql = `\`muster explain ${option}\` shows the SQL`
  const account = user === undefined ? option : `'${user}' (${option})`
  if (error !== undefined && refused) {
    return failure(
      `no login as ${account} at ${place}: ${error}`,
      `Correct ${passwordOption(option)} and run \`muster install\`, or create the account: ${sql}.`,
    )
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
