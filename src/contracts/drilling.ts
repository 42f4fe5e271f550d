import { Type } from 'typebox'
import { databaseTypes } from './choices.ts'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/**
 * Faults of a drill. kill: the process of the database server is killed. hang: it is stopped, and keeps its connections. cut:
 * its host reaches no other host of the service.
 */
export const drillFaults = ['kill', 'hang', 'cut'] as const

export type DrillFault = (typeof drillFaults)[number]

/** Name of the database and of the account that a drill makes and removes. */
export const drillName = 'muster_drill'

/** Milliseconds after which the host of a fault undoes it by itself. */
export const faultTimeout = 60_000

/** Number of clients that write, each over a connection of its own. */
export const drillWriters = 4

/** Rows of one writer at most. */
export const mostRows = 20_000

const Name = Type.String({ pattern: '^[A-Za-z0-9:][A-Za-z0-9:._-]{0,252}$' })
const Hosts = Type.Array(Type.Object({ name: Name, address: Name }, exact), { maxItems: 10_000 })

/** Password of the account; a MySQL makes it itself. */
const Password = Type.String({ pattern: '^[!-~]{16,255}$' })

/** One order of `muster-api drill`, on its standard input. */
export const DrillOrder = Type.Union([
  /** Reads what this host's server has of a drill, and why `fault` cannot be made here. */
  Type.Object(
    { do: Type.Literal('look'), fault: Type.Optional(Type.Enum([...drillFaults])), others: Hosts },
    exact,
  ),
  /** Makes the ledger and its account. */
  Type.Object({ do: Type.Literal('prepare') }, exact),
  /** Makes the fault, and arms the timer that undoes it. */
  Type.Object({ do: Type.Literal('strike'), fault: Type.Enum([...drillFaults]), others: Hosts }, exact),
  /** Undoes the fault before its time. */
  Type.Object({ do: Type.Literal('heal') }, exact),
  /** Writes rows through the connector of this host until it is told to end. */
  Type.Object({ do: Type.Literal('write'), password: Password }, exact),
  /** Reads the rows of the ledger. */
  Type.Object({ do: Type.Literal('read') }, exact),
  /** Removes ledger and account. */
  Type.Object({ do: Type.Literal('remove') }, exact),
])

export type DrillOrder = ReadonlyStatic<typeof DrillOrder>

/** Response to `look`. */
export const DrillSight = Type.Object(
  {
    /** own: a drill has made it. foreign: somebody else has. */
    ledger: Type.Enum(['none', 'own', 'foreign']),
    database: Type.Enum([...databaseTypes]),
    /** Why the fault cannot be made here, for people. */
    refusal: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  exact,
)

export type DrillSight = ReadonlyStatic<typeof DrillSight>

/** Response to `prepare`. */
export const LedgerLogin = Type.Object({ password: Password }, exact)

export type LedgerLogin = ReadonlyStatic<typeof LedgerLogin>

const Row = Type.Integer({ minimum: 1, maximum: mostRows })

/** Response to `read`: of each writer the rows, as their first and last numbers in turn. */
export const LedgerRows = Type.Array(Type.Array(Type.Tuple([Row, Row]), { maxItems: mostRows }), {
  minItems: drillWriters,
  maxItems: drillWriters,
})

export type LedgerRows = ReadonlyStatic<typeof LedgerRows>

/** One line of `write`: a row that was acknowledged, or not and why. Times are milliseconds since the program began. */
export const WriterLine = Type.Object(
  {
    writer: Type.Integer({ minimum: 0, maximum: drillWriters - 1 }),
    row: Row,
    begin: Type.Number({ minimum: 0 }),
    end: Type.Number({ minimum: 0 }),
    refused: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  exact,
)

export type WriterLine = ReadonlyStatic<typeof WriterLine>
