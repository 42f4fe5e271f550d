import type { DatabaseLogin } from '../../contracts/databaseAccounts.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { type AccountPurpose, type Connection, placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import { dialServer } from './dialServer.ts'
import { readMissingPrivileges } from './grants.ts'
import { readServer } from './probe.ts'
import { withTimeout } from './withTimeout.ts'

/** Short: a person waits. A server that took the connection gets time, since it counts whom it saw leave. */
const limits = { reach: 3_000, login: 20_000 }

/**
 * Logs in once at every database that a component's settings have an account for, all at the same time. A manager's
 * account also reads whom a data source follows, and of an account for switches which privileges it lacks. Never rejects:
 * what went wrong is in the result.
 */
export function tryLogins(settings: ServerSettings): Promise<readonly DatabaseLogin[]> {
  const { database, monitor, switching, services, secretsFile: file = '' } = settings
  const sources = (services?.services ?? []).flatMap((one) => one.datasources)
  const servers = [
    ...new Map(sources.map(({ host, port }) => [placeOf({ host, port }), { host, port }])).values(),
  ]
  return Promise.all([
    ...(database ? [tryLogin({ server: database, user: database.user, file, purpose: 'replication' })] : []),
    ...(monitor
      ? servers.map((server) => tryLogin({ server, user: monitor.user, file, purpose: 'monitor' }))
      : []),
    ...(switching
      ? servers.map((server) =>
          tryLogin({ server, user: switching.user, file, purpose: 'replication', forSwitch: true }),
        )
      : []),
  ])
}

async function tryLogin(options: {
  readonly server: Parameters<typeof placeOf>[0]
  readonly user: string
  readonly file: string
  readonly purpose: AccountPurpose
  readonly forSwitch?: true
}): Promise<DatabaseLogin> {
  const { server, user, file, purpose, forSwitch } = options
  const place = placeOf(server)
  const tried = { option: `${purpose}-user`, user, place, ...(forSwitch && { forSwitch }) } as const
  const secret = { file, option: `${purpose}-password` }
  try {
    const connection = await dialServer({ server, user, secret, purpose, limits })(
      new AbortController().signal,
    )
    try {
      const missing = forSwitch ? await withTimeLimit(place, readMissingPrivileges(connection.query)) : []
      const isSource = purpose === 'monitor' || forSwitch === true
      const read = isSource ? await withTimeLimit(place, readFollowed(connection.query)) : {}
      connection.quit()
      return { ...tried, ...read, ...(missing.length > 0 && { missing }) }
    } catch (error) {
      connection.close()
      throw error
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return { ...tried, error: error.message, ...(error.code === 'refused' ? { refused: true } : {}) }
  }
}

/** Reads whom a server follows; nothing where the account may not: that is for the checks of the manager to say. */
async function readFollowed(query: Connection['query']): Promise<Pick<DatabaseLogin, 'server'>> {
  try {
    const { isWritable, channels } = await readServer(query)
    return { server: { isWritable, follows: channels.map(({ source }) => placeOf(source)) } }
  } catch (error) {
    if (error instanceof DatabaseError) return {}
    throw error
  }
}

const withTimeLimit = <Result>(place: string, work: Promise<Result>): Promise<Result> =>
  withTimeout({
    milliseconds: limits.login,
    work,
    late: () =>
      new DatabaseError({ code: 'timeout', message: `The database ${place} did not answer in time.` }),
  })
