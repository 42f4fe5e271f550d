import { listOf } from '../../base/words.ts'
import type { OutlineAccount } from '../../config/outline.ts'
import type { DatabaseType } from '../../contracts/choices.ts'
import { monitorPrivilegeNames, replicationPrivileges } from '../../contracts/databaseAccounts.ts'
import type { DatabaseReport } from './databaseReport.ts'

/** Other names of a privilege, in versions and views that name it differently. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  'REPLICA MONITOR': ['SLAVE MONITOR', 'REPLICATION CLIENT', 'SUPER'],
  'BINLOG MONITOR': ['REPLICATION CLIENT'],
  'READ_ONLY ADMIN': ['SUPER'],
  'CONNECTION ADMIN': ['SUPER'],
  'REPLICATION SLAVE ADMIN': ['SUPER'],
  'REPLICATION MASTER ADMIN': ['SUPER'],
}

const holds = (privileges: ReadonlySet<string>, wanted: string): boolean =>
  [wanted, ...(otherNames[wanted] ?? [])].some((name) => privileges.has(name))

/** Privileges with which an account could read or change data, or other accounts: those of an administrator. */
const powerful = ['INSERT', 'UPDATE', 'DELETE', 'DROP', 'CREATE USER', 'FILE', 'SHUTDOWN', 'SELECT']

/** Accounts that the servers bring along. */
const builtIn = /^(root|mysql|mariadb\.sys|mysql\..*|debian-sys-maint)$/

type Which = 'monitor' | 'replication'

const neededFor = (which: Which, type: DatabaseType): readonly string[] =>
  which === 'monitor'
    ? monitorPrivilegeNames(type)
    : // What is on single tables is not in the view of global privileges.
      replicationPrivileges(type).flatMap(([privilege, , on]) => (on === undefined ? [privilege] : []))

/** Returns the users of accounts that have what a component needs on this server, and no right over data. */
function usersFor(which: Which, { type, accounts }: DatabaseReport): ReadonlySet<string> {
  const needed = neededFor(which, type)
  return new Set(
    accounts
      .filter(({ user, privileges }) => {
        const suits = needed.every((one) => holds(privileges, one))
        // The account of the replicator has all that a monitor needs, and more.
        const isSmall = which === 'replication' || privileges.size <= needed.length + 2
        return suits && isSmall && !builtIn.test(user) && !powerful.some((one) => privileges.has(one))
      })
      .map(({ user }) => user),
  )
}

/** Finds the account of a component: the one user that suits on every server. A comment says what was not sure. */
export function accountFor(
  which: Which,
  databases: readonly DatabaseReport[],
): { readonly account?: OutlineAccount; readonly comments: readonly string[] } {
  const [first, ...rest] = databases.map((one) => usersFor(which, one))
  const users = [...(first ?? [])].filter((user) => rest.every((others) => others.has(user)))
  const option = `${which}-user`
  const [user] = users
  if (user === undefined) {
    return {
      comments: [
        `No account has the privileges of ${option} on every server: \`muster explain ${option}\` prints the SQL. Then set ${option} and ${which}-password.`,
      ],
    }
  }
  if (users.length > 1) {
    return {
      comments: [
        `Not sure: ${listOf(users.slice(0, 8))} all suit as ${option}. Set it, and ${which}-password.`,
      ],
    }
  }
  const comments = [`${user} has the privileges for it on every server. Its password is not known here.`]
  return { account: { user, comments }, comments: [] }
}
