import type { HostConfig } from '../../config/model.ts'
import type { DatabaseLogin } from '../../contracts/databaseAccounts.ts'
import { type ConfiguredReadOnly, startsWritable } from '../configuredReadOnly.ts'
import { type Check, type CheckContext, ok, type Subject, warning } from './checkContract.ts'
import { isDatabaseHere } from './databaseCheck.ts'
import { readingAt } from './masterCheck.ts'

/** Returns the port of a host's own MariaDB, whose option files are on the host; undefined if it has none. */
export const localMariadbPort = (subject: Pick<Subject, 'host' | 'facts'>): number | undefined =>
  subject.host.database?.type === 'mariadb' && isDatabaseHere(subject)
    ? subject.host.database.port
    : undefined

type Role = 'primary' | 'replica' | 'unknown'

const writers: Readonly<Record<Role, string>> = {
  primary: ', also where another one took over meanwhile',
  replica: ', although it is a replica',
  unknown: '',
}

/**
 * Checks that the host's MariaDB starts read-only, whatever its role: a switch changes no option file, so one that starts
 * writable may be a second writer. A switch has MySQL start read-only.
 */
export const readOnlyCheck: Check = {
  id: 'read-only',
  describe: (subject, context) => {
    const { host, observed } = subject
    if (host.database === undefined) return ok('the file has no database for this host')
    if (host.database.type === 'mysql')
      return ok('not checked for MySQL, which starts read-only after its first switch (SET PERSIST)')
    const { configuredReadOnly: configured = 'its database is not on this host' } = observed
    if (typeof configured === 'string') return ok(`its option files were not checked: ${configured}`)
    const problem = problemAfterStart({ host, configured, role: roleOf(subject, context) })
    return problem === undefined
      ? ok(`its database starts read-only: ${configured.place}`)
      : warning(problem.reason, problem.fix)
  },
}

/** Returns the contradiction of what a host's MariaDB starts with to its role, or to the role that it may have then. */
export function problemAfterStart({
  host,
  configured,
  role,
}: {
  readonly host: Pick<HostConfig, 'switching'>
  readonly configured: ConfiguredReadOnly
  readonly role: Role
}): { readonly reason: string; readonly fix: string } | undefined {
  const { isReadOnly, place } = configured
  if (!isReadOnly) {
    const { reason, fix } = startsWritable(configured)
    return { reason: `after a restart its database can be written${writers[role]}: ${reason}`, fix }
  }
  // Its manager makes it writable again.
  if (role !== 'primary' || host.switching !== undefined) return undefined
  return {
    reason: `after a restart its database is read-only, and nobody can write: ${place}`,
    fix: 'Set replication-user, so that its manager makes the primary writable again after a start.',
  }
}

/** Returns the role of the host's database by what the servers say. */
function roleOf({ host }: Subject, { config, subjects }: CheckContext): Role {
  const logins: readonly DatabaseLogin[] = subjects.flatMap((one) => one.logins ?? [])
  const own = config.services.flatMap(({ datasources }) => datasources).find(({ name }) => name === host.name)
  const server = own && readingAt(own, logins)
  if (server === undefined) return 'unknown'
  return server.follows.length > 0 ? 'replica' : server.isWritable ? 'primary' : 'unknown'
}
