import { listOf } from '../../base/words.ts'
import { type Check, ok, warning } from './checkContract.ts'

/** Accounts and sessions of one that are named. */
const most = { accounts: 10, sessions: 3 }

/**
 * Checks that `read_only` binds whoever is logged in at the host's MariaDB, but muster's own accounts. On MySQL
 * super_read_only binds everybody.
 */
export const sessionsCheck: Check = {
  id: 'sessions',
  describe: ({ host, observed }) => {
    if (host.database === undefined) return ok('the file has no database for this host')
    if (host.database.type === 'mysql') return ok('super_read_only binds every account of MySQL')
    const { unboundSessions: found = 'its database is not on this host' } = observed
    if (typeof found === 'string')
      return ok(`sessions that read_only does not bind were not looked for: ${found}`)
    const own = new Set([host.database.account?.user, host.switching?.user, host.monitor?.user])
    const others = found.filter(({ account }) => !own.has(/^'(.*)'@'/.exec(account)?.[1]))
    if (others.length === 0) return ok('read_only binds everybody who is logged in at its database')
    return others.slice(0, most.accounts).flatMap(({ account, sessions }) => {
      const named = [...new Set(sessions)].slice(0, most.sessions)
      const count = sessions.length === 1 ? '1 session' : `${sessions.length} sessions`
      return warning(
        `read_only does not bind ${account}: ${count}, ${listOf(named)}`,
        'Revoke READ ONLY ADMIN (before MariaDB 10.11 also SUPER) from accounts of programs. What such a session writes to a former primary, or to a replica, stays on that server alone.',
      )
    })
  },
}
