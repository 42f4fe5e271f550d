import { Type } from 'typebox'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/** Report of a host on its database server before one of them is made anew: `muster-api describe-database`. */
export const HostDatabase = Type.Object(
  {
    /** Data folder. */
    folder: Type.String({ maxLength: 4096 }),
    /** Such as `10.11.19-MariaDB`. */
    version: Type.String({ pattern: '^\\d[\\w.-]{0,60}$' }),
    /** Bytes of the data, without the logs of replication. */
    bytes: Type.Integer({ minimum: 0 }),
    /** Bytes that are free beside them. */
    free: Type.Integer({ minimum: 0 }),
  },
  exact,
)

export type HostDatabase = ReadonlyStatic<typeof HostDatabase>

/** Steps by which a database is made anew, in their order. */
export const provisionSteps = ['receive', 'prepare', 'stop', 'replace', 'start', 'follow', 'done'] as const

/** One line of `muster-api receive-database`. */
export const ProvisionProgress = Type.Object(
  {
    step: Type.Enum([...provisionSteps]),
    /** Bytes that were received, at `receive`; state of the data source, at `done`. */
    bytes: Type.Optional(Type.Integer({ minimum: 0 })),
    state: Type.Optional(Type.String({ pattern: '^[A-Z]{1,20}$' })),
  },
  exact,
)

export type ProvisionProgress = ReadonlyStatic<typeof ProvisionProgress>
