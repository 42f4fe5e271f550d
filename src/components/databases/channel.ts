/** An error that a thread of replication stopped or waits with: the server's number and words. */
export type ThreadError = { readonly number: number; readonly message: string }

/** One inbound replication of a server, whatever the kind of server calls it (channel, connection). */
export type Channel = {
  /** Empty for the one without a name. */
  readonly name: string
  readonly source: { readonly host: string; readonly port: number }
  /** The thread that fetches from the primary; `connecting` also between its attempts. */
  readonly receiver: 'running' | 'connecting' | 'stopped'
  readonly receiverError: ThreadError | null
  /** The thread that applies what was fetched. */
  readonly applier: 'running' | 'stopped'
  readonly applierError: ThreadError | null
  /** Whole seconds that the applier is behind, as the server says; null while it cannot say. */
  readonly secondsBehind: number | null
  /** How far it fetched, in the primary's binary log, such as `bin.000002:1307`; null before the first fetch. */
  readonly received: string | null
  /** How far it applied, in the same form. */
  readonly applied: string | null
  /** Number of the last applied transaction within its GTID; null without GTIDs, and where several domains differ. */
  readonly sequence: number | null
  /** Whether it asks the primary by GTID; otherwise by file and offset. */
  readonly byGtid: boolean
}

/** Where a server's own binary log stands; `sequence` as in `Channel`. */
export type Position = { readonly written: string; readonly sequence: number | null }
