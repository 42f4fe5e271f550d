import { addressAndPort } from '../../base/address.ts'
import type { Secret } from '../../secrets/secret.ts'

/** Purpose of an account; muster.yaml has it as `<purpose>-user` and `<purpose>-password`. */
export type AccountPurpose = 'replication' | 'monitor'

/** Address of a database server and the account for it. */
export type DatabaseAccount = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: Secret
  /** Absent for one that no option names. */
  readonly purpose?: AccountPurpose
  /** How the server proves itself before it hears who logs in; absent: it need not, and nothing is encrypted. */
  readonly proof?: ServerProof
}

/** Proof that the certificate of a server has to give. */
export type ServerProof = {
  /** Authorities in PEM, one of which signed it. */
  readonly authorities: string
  /** Names and addresses, one of which it has. */
  readonly names: readonly string[]
}

/** A row as the server sent it: every value as text, NULL as null. */
export type Row = Readonly<Record<string, string | null>>

/** An open connection to a database server. */
export type Connection = {
  /** Returns the rows of one statement, however long it takes; none if it has none. Rejects with a `DatabaseError`. */
  query(statement: string): Promise<readonly Row[]>
  /** Returns the certificate by which the server proved itself, PEM; undefined where it need not. Absent in models. */
  certificate?(): string | undefined
  /** Ends it in the words of the protocol, after what is under way: a server notes what is broken off. */
  quit(): void
  /** Ends it at once; what is under way is rejected. */
  close(): void
  /** Resolves when it was closed or lost. */
  readonly ended: Promise<void>
}

/** Opens a connection and logs in; the signal ends it, open or not. Rejects with a `DatabaseError`. */
export type Dial = (signal: AbortSignal) => Promise<Connection>

/** Returns the name of a server for messages: `127.0.0.1:3306`, `[::1]:3306`. */
export const placeOf = ({ host, port }: Pick<DatabaseAccount, 'host' | 'port'>): string =>
  addressAndPort(host, port)
