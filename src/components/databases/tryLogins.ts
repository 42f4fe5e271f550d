import type { DatabaseLogin } from '../../contracts/databaseAccounts.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { type AccountPurpose, type Connection, placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import { dialServer, type ProofSource, proofOf } from './dialServer.ts'
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
  const servers = [...new Map(sources.map((it) => [placeOf(it), it])).values()].map((server) => ({
    server,
    file,
    proof: proofOf(settings, server),
  }))
  const own = database && { server: database, file, proof: proofOf(settings) }
  return Promise.all([
    ...(own ? [tryLogin({ ...own, user: own.server.user, purpose: 'replication' })] : []),
    ...(monitor ? servers.map((one) => tryLogin({ ...one, user: monitor.user, purpose: 'monitor' })) : []),
    ...(switching
      ? servers.map((one) =>
          tryLogin({ ...one, user: switching.user, purpose: 'replication', forSwitch: true }),
        )
      : []),
  ])
}

async function tryLogin(options: {
  readonly server: Parameters<typeof placeOf>[0]
  readonly user: string
  readonly file: string
  readonly proof: ProofSource | undefined
  readonly purpose: AccountPurpose
  readonly forSwitch?: true
}): Promise<DatabaseLogin> {
  const { server, user, file, proof, purpose, forSwitch } = options
  const place = placeOf(server)
  const tried = { option: `${purpose}-user`, user, place, ...(forSwitch && { forSwitch }) } as const
  const secret = { file, option: `${purpose}-password` }
  try {
    const connection = await dialServer({ server, user, secret, purpose, proof, limits })(
      new AbortController().signal,
    )
    try {
      const missing = forSwitch ? await withTimeLimit(place, readMissingPrivileges(connection.query)) : []
      const isSource = purpose === 'monitor' || forSwitch === true
      const read = isSource ? await withTimeLimit(place, readFollowed(connection.query)) : {}
      const certificate = connection.certificate?.()
      connection.quit()
      return {
        ...tried,
        ...(certificate && { certificate }),
        ...read,
        ...(missing.length > 0 && { missing }),
      }
    } catch (error) {
      connection.close()
      throw error
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const { code, message } = error
    return {
      ...tried,
      error: message,
      ...(code === 'refused' && { refused: true }),
      ...(code === 'unproven' && { unproven: true }),
    }
  }
}

/** Reads whom a server follows; nothing where the account may not: that is for the checks of the manager to say. */
async function readFollowed(query: Connection['query']): Promise<Pick<DatabaseLogin, 'server'>> {
  try {
    const { isWritable, channels } = await readServer(query)
    const places = (of: typeof channels): readonly string[] => of.map(({ source }) => placeOf(source))
    const unproven = places(channels.filter(({ tls }) => tls?.verify !== true))
    return { server: { isWritable, follows: places(channels), ...(unproven.length > 0 && { unproven }) } }
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
