import { setTimeout as wait } from 'node:timers/promises'
import { readText } from '../../api/serverFiles.ts'
import { reasonOf, StartError } from '../../api/startError.ts'
import { readBoundedFile } from '../../base/boundedFile.ts'
import { isReadableAuthority } from '../../client/endpoint.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { Secret } from '../../secrets/secret.ts'
import { connect, type DialLimits } from './connect.ts'
import { type AccountPurpose, type DatabaseAccount, type Dial, placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser quotes what it could not read.
    throw new StartError(`the secrets ${file} are not JSON; install again to write them anew`)
  }
}

/**
 * Reads the password of an option in the secrets file, such as `replication-password`. Throws a `StartError`
 * that never quotes the file.
 */
export function readPassword(options: { readonly file: string; readonly option: string }): Secret {
  const { file, option } = options
  const content = parse(readText(file, 'the secrets'), file)
  if (typeof content === 'object' && content !== null && Object.hasOwn(content, option)) {
    const password: unknown = Reflect.get(content, option)
    if (typeof password === 'string') return new Secret(password)
  }
  throw new StartError(`the secrets ${file} hold no ${option}; set it and install again`)
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Bytes of a file of authorities; one with all of the public ones has a quarter of it. */
const largestAuthorities = 1024 * 1024

/**
 * Reads the authorities of databases. Rejects with a `DatabaseError` that never quotes the file, which may be that of a
 * user of the database.
 */
async function readAuthorities(file: string): Promise<string> {
  const unproven = (what: string): DatabaseError =>
    new DatabaseError({
      code: 'unproven',
      message: `No database can prove itself: ${what}. Correct database-tls-authority, or put the file there for all to read.`,
    })
  const { content } = await readBoundedFile(file, { maxBytes: largestAuthorities }).catch(
    (error: unknown) => {
      throw unproven(`cannot read ${file}: ${reasonOf(error)}`)
    },
  )
  const text = content.toString()
  // OpenSSL trusts nobody then, or ends the process.
  if (!isReadableAuthority(text)) throw unproven(`${file} holds no certificates in PEM, or a broken one`)
  return text
}

/** Milliseconds in which a file that somebody writes over is whole again. */
const writing = 200

/** Where the authorities that prove a server are, and the names and addresses of which its certificate has one. */
export type ProofSource = { readonly file: string; readonly names: readonly string[] }

/** Returns the proof of a data source, or of the server of this host; undefined where it need not prove itself. */
export function proofOf(
  { databaseProof }: Pick<ServerSettings, 'databaseProof'>,
  source?: { readonly host: string; readonly name?: string },
): ProofSource | undefined {
  if (databaseProof === undefined) return undefined
  const { authorities: file, ownNames } = databaseProof
  return { file, names: source ? [source.host, source.name].filter((it) => it !== undefined) : ownNames }
}

/**
 * Returns a function that opens connections to a server with a password of the secrets file. It is read for every
 * connection, as the authorities are, so that a new one holds without a restart.
 */
export const dialServer =
  (options: {
    readonly server: Pick<DatabaseAccount, 'host' | 'port'>
    readonly user: string
    readonly secret: { readonly file: string; readonly option: string }
    readonly purpose: AccountPurpose
    /** Absent: the server need not prove itself. */
    readonly proof?: ProofSource | undefined
    readonly limits?: DialLimits
    /** Resolves when a file that somebody writes over is whole again. */
    readonly written?: () => Promise<unknown>
  }): Dial =>
  async (signal) => {
    const { server, user, secret, purpose, proof, limits, written = () => wait(writing) } = options
    const { host, port } = server
    try {
      const proven = proof && {
        proof: {
          authorities: await readAuthorities(proof.file).catch(async () => {
            await written()
            return readAuthorities(proof.file)
          }),
          names: proof.names,
        },
      }
      const account = { host, port, user, password: readPassword(secret), purpose, ...proven }
      return await connect(account, signal, limits)
    } catch (error) {
      if (error instanceof DatabaseError) throw error
      throw new DatabaseError({
        code: 'refused',
        message: `The login at the database ${placeOf(server)} is not known: ${reason(error)}.`,
        cause: error,
      })
    }
  }
