import type { DatabaseLogin } from '../../contracts/databaseAccounts.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { type DatabaseAccount, placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import { dialServer } from './dialServer.ts'

/** Short: a person waits. A server that took the connection gets time, since it counts whom it saw leave. */
const limits = { reach: 3_000, login: 20_000 }

/**
 * Logs in once at every database that a component's settings have an account for, all at the same time. Reads nothing
 * there. Never rejects: what went wrong is in the result.
 */
export function tryLogins(settings: ServerSettings): Promise<readonly DatabaseLogin[]> {
  const { database, monitor, services, secretsFile: file = '' } = settings
  const sources = monitor === undefined ? [] : (services?.services ?? []).flatMap((one) => one.datasources)
  const servers = new Map(sources.map(({ host, port }) => [placeOf({ host, port }), { host, port }]))
  return Promise.all([
    ...(database === undefined
      ? []
      : [tryLogin({ server: database, user: database.user, file, purpose: 'replication' })]),
    ...(monitor === undefined ? [] : [...servers.values()]).map((server) =>
      tryLogin({ server, user: monitor?.user ?? '', file, purpose: 'monitor' }),
    ),
  ])
}

async function tryLogin(options: {
  readonly server: Pick<DatabaseAccount, 'host' | 'port'>
  readonly user: string
  readonly file: string
  readonly purpose: DatabaseAccount['purpose']
}): Promise<DatabaseLogin> {
  const { server, user, file, purpose } = options
  const tried = { option: `${purpose}-user`, place: placeOf(server) } as const
  const secret = { file, option: `${purpose}-password` }
  try {
    const connection = await dialServer({ server, user, secret, purpose, limits })(
      new AbortController().signal,
    )
    connection.quit()
    return tried
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return { ...tried, error: error.message, ...(error.code === 'refused' ? { refused: true } : {}) }
  }
}
