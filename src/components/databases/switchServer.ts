import type { Secret } from '../../secrets/secret.ts'
import type { ServerReading } from './probe.ts'

/** A client's connection to a server, as a switch sees it; those of replication and of the switch itself are none. */
export type Session = {
  readonly id: number
  readonly user: string
  /** Milliseconds since it runs its statement, or since its last one ended. */
  readonly milliseconds: number
  readonly isIdle: boolean
  /** The transaction that it is in; null for none. It differs from one transaction to the next. */
  readonly transaction: { readonly id: string; readonly seconds: number } | null
}

/** State of a server before a switch. */
export type SwitchReading = ServerReading & {
  /** Privileges that a switch needs and the account has not, by the words of GRANT. */
  readonly missingPrivileges: readonly string[]
  /** True if it writes what it replicates to its own binary log, so that others can follow it. */
  readonly logsReplicated: boolean
}

/** How a server reaches the one that it is to follow; without an account it keeps the one that it has. */
export type Source = {
  readonly host: string
  readonly port: number
  readonly account?: { readonly user: string; readonly password: Secret }
}

/**
 * One server during a switch, over one connection of its own, whose end is the end of all that it may do. Everything
 * rejects with a `DatabaseError`.
 */
export type SwitchServer = {
  /** Name of the server for messages. */
  readonly place: string
  read(): Promise<SwitchReading>
  /**
   * Takes the lock that one switch has on a server at a time, until the connection ends. Returns false where another
   * connection has it; with `force` that connection is ended first, so that nothing of it can come later.
   */
  lock(force: boolean): Promise<boolean>
  sessions(): Promise<readonly Session[]>
  /** Ends connections; those that are gone count as ended. */
  kill(ids: readonly number[]): Promise<void>
  /** Waits, a second at most, for commits that are under way; then it rejects and nothing has changed. */
  setReadOnly(isReadOnly: boolean): Promise<void>
  /** GTIDs that it has written, as text for `waitFor` of another server. */
  written(): Promise<string>
  /** Resolves to true once it has applied these GTIDs; to false after that time. */
  waitFor(gtids: string, milliseconds: number): Promise<boolean>
  /** Stops or starts the threads of all its channels. */
  stopReplication(): Promise<void>
  startReplication(): Promise<void>
  /** Makes it nobody's replica: its channels are gone. */
  forgetSources(): Promise<void>
  /** Makes it follow one server, by GTID from what it has; it starts. Other channels are gone. */
  follow(source: Source): Promise<void>
  setSemiSync(roles: { readonly source: boolean; readonly replica: boolean }): Promise<void>
  /** Ends its connection at once. */
  close(): void
}
