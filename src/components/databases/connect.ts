import { connect as openSocket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { explainFailure } from '../../client/explainFailure.ts'
import { nameMismatch } from '../../client/request.ts'
import { type Connection, type DatabaseAccount, placeOf, type Row } from './connection.ts'
import { DatabaseError, toDatabaseError } from './databaseError.ts'

/** Milliseconds after which a connection that does not come about is given up. */
export type DialLimits = {
  /** Until the TCP connection is open. The server itself notices nothing of an attempt that ends here. */
  readonly reach: number
  /** Until the login is done: giving up here is what the server counts against this host (max_connect_errors). */
  readonly login: number
}

const usualLimits: DialLimits = { reach: 60_000, login: 60_000 }

/** Milliseconds of silence after which the system asks whether the other machine is still there. */
const keepAliveDelay = 15_000

/** Milliseconds that a server has to hear a goodbye; one that hangs does not. */
const goodbye = 1000

/** The step of the library to TLS, after which it logs in; its own check knows one name, and no address. */
type Upgrading = { startTLS(onSecure: (error?: unknown) => void): void; readonly stream: TLSSocket }

/** Has a server prove itself before it hears who logs in; `fail` gets the `DatabaseError` of one that does not. */
function requireProof(upgrading: Upgrading, account: DatabaseAccount, fail: (error: unknown) => void): void {
  const { proof } = account
  if (proof === undefined) return
  const place = `the database ${placeOf(account)}`
  const startTls = upgrading.startTLS.bind(upgrading)
  upgrading.startTLS = (onSecure) =>
    startTls((error) => {
      const found =
        error === undefined
          ? nameMismatch({ place, names: proof.names, certificate: upgrading.stream.getPeerCertificate() })
          : explainFailure({ error, place })
      if (found === undefined) return onSecure()
      const { code } = found
      const isProof = code.startsWith('certificate-') || code === 'tls'
      const reason =
        code === 'certificate-untrusted'
          ? `The certificate of ${place} is not signed by an authority that is trusted.`
          : found.message
      const message = `${reason} Check it, and the file of database-tls-authority.`
      fail(isProof ? new DatabaseError({ code: 'unproven', message }) : error)
      // The library writes a code of its own into what it gets.
      onSecure(new Error(reason))
    })
}

/**
 * Opens a connection to a MariaDB or MySQL server and logs in. It takes single statements only, sends no file
 * and never a password in clear text. The signal ends it, open or not. Rejects with a `DatabaseError`, after the
 * limits at the latest: a minute by default.
 */
export async function connect(
  account: DatabaseAccount,
  signal: AbortSignal,
  limits: DialLimits = usualLimits,
): Promise<Connection> {
  // Only now: a component that meets no database has no use for the library's memory.
  const { createConnection } = await import('mysql2')
  const { host, port, user, password } = account
  // Our own socket, since the library only says goodbye to a server, which one that hangs never hears.
  const socket = openSocket({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveDelay,
  })
  const unreached = setTimeout(() => {
    socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
  }, limits.reach)
  socket.once('connect', () => clearTimeout(unreached))
  socket.once('close', () => clearTimeout(unreached))
  const opened = createConnection({
    stream: socket,
    user,
    password: password.reveal(),
    connectTimeout: limits.login,
    multipleStatements: false,
    flags: ['-LOCAL_FILES'],
    disableEval: true,
    ...(account.proof && { ssl: { ca: account.proof.authorities, minVersion: 'TLSv1.2' } }),
    // Positions may be larger than a number holds: everything stays text.
    typeCast: (field) => field.string(),
  })
  // One set of what waits, not a race with one lasting promise: such a promise keeps each answer that it raced with.
  const waiting = new Set<(error: unknown) => void>()
  let failure: unknown
  let resolveEnded = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve
  })
  function fail(error: unknown): void {
    failure ??= error
    for (const reject of waiting) reject(failure)
    waiting.clear()
    resolveEnded()
  }
  requireProof(opened as unknown as Upgrading, account, fail)
  // This listener stays: without one, a connection that breaks while nobody uses it ends the process.
  opened.on('error', fail)
  socket.on('close', () => fail(Object.assign(new Error('closed'), { code: 'PROTOCOL_CONNECTION_LOST' })))

  async function orFailed<Result>(
    begin: (resolve: (result: Result) => void, reject: (error: unknown) => void) => void,
  ): Promise<Result> {
    let stopWaiting = (): void => undefined
    try {
      return await new Promise<Result>((resolve, reject) => {
        if (failure !== undefined) return reject(failure)
        waiting.add(reject)
        stopWaiting = () => void waiting.delete(reject)
        begin(resolve, reject)
      })
    } catch (error) {
      throw toDatabaseError(error, account)
    } finally {
      stopWaiting()
    }
  }

  const query = (statement: string): Promise<readonly Row[]> =>
    orFailed((resolve, reject) => {
      opened.query(statement, (error, rows) => {
        if (error) reject(error)
        else resolve(Array.isArray(rows) ? (rows as Row[]) : [])
      })
    })
  const close = (): void => {
    opened.destroy()
    socket.destroy()
  }
  signal.addEventListener('abort', close)
  socket.on('close', () => signal.removeEventListener('abort', close))
  if (signal.aborted) close()
  try {
    await orFailed<void>((resolve) => opened.once('connect', () => resolve()))
  } catch (error) {
    close()
    throw error
  }
  // The library calls back before it writes; the server closes what it was said goodbye to.
  const quit = (): void => opened.end(() => setTimeout(close, goodbye).unref())
  const certificate = (): string | undefined =>
    account.proof && (opened as unknown as Upgrading).stream.getPeerX509Certificate()?.toString()
  return { query, certificate, quit, close, ended }
}
