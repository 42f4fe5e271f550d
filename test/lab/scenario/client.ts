import { createConnection } from 'mysql2/promise'

/** A client of the database, as an application is one. */
export type Client = {
  /** The first value of the first row; undefined where there is none. */
  readonly ask: (statement: string) => Promise<unknown>
  readonly end: () => Promise<void>
}

/** Connects as `app` to the database `shop`; rejects with the error of server or proxy, whose `errno` it has. */
export async function connectClient(place: {
  readonly host: string
  readonly port: number
  readonly password: string
}): Promise<Client> {
  const connection = await createConnection({
    ...place,
    user: 'app',
    database: 'shop',
    connectTimeout: 30_000,
  })
  // One that breaks later must fail what asks next, not the test's process.
  connection.on('error', () => undefined)
  return {
    ask: async (statement) => {
      const [rows] = await connection.query(statement)
      const [row] = Array.isArray(rows) ? rows : []
      return row === undefined ? undefined : Object.values(row)[0]
    },
    end: () => connection.end(),
  }
}

/** Connects, asks one thing and leaves. */
export async function askOnce(
  place: Parameters<typeof connectClient>[0],
  statement: string,
): Promise<unknown> {
  const client = await connectClient(place)
  try {
    return await client.ask(statement)
  } finally {
    await client.end().catch(() => undefined)
  }
}
