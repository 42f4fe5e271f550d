import { Type } from 'typebox'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/** GTIDs that a server has, as it writes them. */
export const ServerGtids = Type.Object(
  {
    /** `gtid_binlog_state` of MariaDB, `gtid_executed` of MySQL. */
    written: Type.String({ maxLength: 16_384, pattern: '^[\\da-z_:, -]*$' }),
    /** The server that it replicates from, or itself: its number in MariaDB, its UUID in MySQL. */
    primary: Type.String({ pattern: '^[\\da-f-]{1,36}$' }),
  },
  exact,
)

export type ServerGtids = ReadonlyStatic<typeof ServerGtids>

/** Report of a host on its database server before one of them is made anew: `muster-api describe-database`. */
export const HostDatabase = Type.Object(
  {
    /** Data folder. */
    folder: Type.String({ maxLength: 4096 }),
    /** Such as `10.11.19-MariaDB` or `9.7.4`. */
    version: Type.String({ pattern: '^\\d[\\w.-]{0,60}$' }),
    /** Bytes of the data, without the logs of replication. */
    bytes: Type.Integer({ minimum: 0 }),
    /** Bytes that are free beside them. */
    free: Type.Integer({ minimum: 0 }),
    /** Why it cannot be copied from; absent where it can. */
    obstacle: Type.Optional(Type.String({ maxLength: 1000 })),
    /** Absent where its server does not run. */
    gtids: Type.Optional(ServerGtids),
    /** Transactions that it has and the other one has not, for people; absent for none, and where nobody can tell. */
    own: Type.Optional(Type.String({ maxLength: 500 })),
  },
  exact,
)

export type HostDatabase = ReadonlyStatic<typeof HostDatabase>

/** Names a server with its version: `MariaDB 10.11.19`, `MySQL 9.7.4`. */
export const serverText = (version: string): string =>
  version.endsWith('-MariaDB') ? `MariaDB ${version.replace(/-MariaDB$/, '')}` : `MySQL ${version}`

/** Steps by which a database is made anew, in their order. */
export const provisionSteps = [
  'receive',
  'prepare',
  'stop',
  'save',
  'replace',
  'start',
  'follow',
  'done',
] as const

/** One line of `muster-api receive-database`. */
export const ProvisionProgress = Type.Object(
  {
    step: Type.Enum([...provisionSteps]),
    /** Bytes that were received, at `receive`; file of its own transactions, at `save`; state of the data source, at `done`. */
    bytes: Type.Optional(Type.Integer({ minimum: 0 })),
    file: Type.Optional(Type.String({ maxLength: 4200 })),
    state: Type.Optional(Type.String({ pattern: '^[A-Z]{1,20}$' })),
  },
  exact,
)

export type ProvisionProgress = ReadonlyStatic<typeof ProvisionProgress>
