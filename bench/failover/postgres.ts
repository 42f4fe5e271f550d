import pg from 'pg'
import type { Place, Session } from '../../test/support/writeLoad.ts'

/** Opens a session of the load at a PostgreSQL. After any error the client connects again. */
export async function openPostgres(place: Omit<Place, 'password'>): Promise<Session> {
  const client = new pg.Client({ ...place, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  const query = (text: string, values?: number[]): Promise<unknown> =>
    client.query(text, values).catch((error: Error) => Promise.reject(Object.assign(error, { fatal: true })))
  await client.connect()
  return {
    write: async ({ client: number, seq }) => {
      await query('BEGIN')
      await query('INSERT INTO load_rows VALUES ($1, $2)', [number, seq])
      await query('COMMIT')
    },
    rollback: () => query('ROLLBACK'),
    onError: (handle) => void client.on('error', handle),
    end: () => client.end(),
    destroy: () => void client.end().catch(() => undefined),
  }
}

/** Rows of one statement. */
export async function askPostgres(
  place: Omit<Place, 'password'>,
  statement: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ ...place, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}
