import type { Connection, Dial, Row } from '../../src/components/databases/connection.ts'
import { DatabaseError } from '../../src/components/databases/databaseError.ts'
import { identityStatement, statusStatement } from '../../src/components/databases/dialects.ts'

/** What to answer to a statement. */
export type ExpectedStatement = {
  readonly statement: string
  /** Its rows; none unless told. An error rejects; a function decides when it is asked. */
  readonly answer?: readonly Row[] | DatabaseError | (() => Promise<readonly Row[]>)
  /** How often it may be used; any number of times unless told. */
  readonly times?: number
}

export type FakeDatabase = {
  readonly dial: Dial
  /** Statements beyond those that open a connection, in order. */
  readonly statements: readonly string[]
  /** How many connections were opened so far. */
  readonly dials: () => number
  /** How many of them are open now. */
  readonly open: () => number
  /** Breaks every open connection, as a server that dies does. */
  breakAll(): void
  /** Expectations with `times` that were not used up. */
  unmet(): readonly ExpectedStatement[]
}

const lost = (): DatabaseError =>
  new DatabaseError({ code: 'unreachable', message: 'The database fake:3306 broke the connection off.' })

/**
 * A database server that knows only what it was told: any other statement is a bug of the caller and fails as
 * one, by name. The first expectation that matches and is not used up answers. `beforeDial` may delay a
 * connection or refuse it.
 */
export function fakeDatabase(options: {
  readonly version?: string
  /** Its variables beside the version; it may be written and has number 1 unless told. */
  readonly variables?: Readonly<Record<string, string>>
  /** Its counts beside the uptime, as they are when asked. */
  readonly status?: () => Readonly<Record<string, string>>
  readonly expect?: readonly ExpectedStatement[]
  readonly beforeDial?: (number: number) => Promise<void>
}): FakeDatabase {
  const waiting = (options.expect ?? []).map((expected) => ({ expected, used: 0 }))
  const statements: string[] = []
  const breaks = new Set<() => void>()
  let dials = 0

  const rowsOf = (values: Readonly<Record<string, string>>): readonly Row[] =>
    Object.entries(values).map(([Variable_name, Value]) => ({ Variable_name, Value }))
  const opening: Readonly<Record<string, readonly Row[]>> = {
    'SELECT VERSION() AS version': [{ version: options.version ?? '10.11.6-MariaDB-log' }],
    [identityStatement]: rowsOf({
      version: options.version ?? '10.11.6-MariaDB-log',
      read_only: 'OFF',
      server_id: '1',
      ...options.variables,
    }),
    "SET SESSION sql_mode = ''": [],
  }

  async function answer(statement: string): Promise<readonly Row[]> {
    const known = opening[statement]
    if (known) return known
    if (statement === statusStatement) return rowsOf({ Uptime: '86400', ...options.status?.() })
    statements.push(statement)
    const found = waiting.find(
      ({ expected, used }) =>
        used < (expected.times ?? Number.POSITIVE_INFINITY) && expected.statement === statement,
    )
    if (found === undefined)
      throw new Error(`the database was not told to expect this statement: ${statement}`)
    found.used += 1
    const { answer: given = [] } = found.expected
    if (given instanceof Error) throw given
    return typeof given === 'function' ? given() : given
  }

  const dial: Dial = async (signal) => {
    dials += 1
    await options.beforeDial?.(dials)
    let resolveEnded: () => void = () => undefined
    const ended = new Promise<void>((resolve) => {
      resolveEnded = resolve
    })
    const end = (): void => {
      breaks.delete(end)
      resolveEnded()
    }
    breaks.add(end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const whenEnded = ended.then((): never => {
      throw lost()
    })
    whenEnded.catch(() => undefined)
    const opened: Connection = {
      query: (statement) => Promise.race([whenEnded, answer(statement)]),
      quit: end,
      close: end,
      ended,
    }
    return opened
  }

  return {
    dial,
    statements,
    dials: () => dials,
    open: () => breaks.size,
    breakAll: () => {
      for (const end of breaks) end()
    },
    unmet: () =>
      waiting.filter(({ expected, used }) => used < (expected.times ?? 0)).map(({ expected }) => expected),
  }
}
