import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, RowDataPacket } from 'mysql2/promise'

/** A server and a connection of an administrator to it. */
export type ServerByHand = {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly connection: Connection
}

type Roles = {
  readonly from: ServerByHand
  readonly to: ServerByHand
  readonly others: readonly ServerByHand[]
  /** Account that a server follows another one with. */
  readonly account: { readonly user: string; readonly password: string }
}

const value = async (connection: Connection, statement: string, values: readonly unknown[] = []) => {
  const [rows] = await connection.query<RowDataPacket[]>(statement, [...values])
  return rows[0] === undefined ? undefined : Object.values(rows[0])[0]
}

async function follow({ connection }: ServerByHand, { to, account }: Roles, position: string | undefined) {
  await connection.query('STOP SLAVE')
  if (position !== undefined) await connection.query('SET GLOBAL gtid_slave_pos = ?', [position])
  await connection.query(
    `CHANGE MASTER TO MASTER_HOST = ?, MASTER_PORT = ?, MASTER_USER = ?, MASTER_PASSWORD = ?,
     MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1, MASTER_HEARTBEAT_PERIOD = 1`,
    [to.host, to.port, account.user, account.password],
  )
  await connection.query('START SLAVE')
}

/** Old primary read-only, new one has it all and becomes writable, the others follow it. Nothing is checked. */
async function changePrimary(roles: Roles, beforePosition: () => Promise<void>): Promise<void> {
  const { from, to, others } = roles
  await from.connection.query('SET GLOBAL read_only = 1')
  await beforePosition()
  const position = String(await value(from.connection, 'SELECT @@gtid_binlog_pos'))
  await value(to.connection, 'SELECT MASTER_GTID_WAIT(?, 30)', [position])
  await to.connection.query('STOP ALL SLAVES')
  await to.connection.query('SET GLOBAL read_only = 0')
  await to.connection.query('RESET SLAVE ALL')
  await Promise.all([follow(from, roles, position), ...others.map((it) => follow(it, roles, undefined))])
}

/** Sessions of the application at a server, and for how long each does nothing. */
async function sessionsOf(connection: Connection, user: string) {
  const [rows] = await connection.query<RowDataPacket[]>(
    "SELECT ID AS id, IF(COMMAND = 'Sleep', TIME_MS, -1) AS idle FROM information_schema.PROCESSLIST WHERE USER = ?",
    [user],
  )
  return rows.map((it) => ({ id: Number(it.id), idle: Number(it.idle) }))
}

const kill = (connection: Connection, id: number): Promise<unknown> =>
  connection.query(`KILL ${id}`).catch(() => undefined)

/**
 * Makes another server the primary while clients wait, by the statements of a person who checks nothing. `hold` and
 * `release` order the connectors.
 */
export async function switchByHand(
  roles: Roles & {
    /** User of the clients. */
    readonly application: string
    readonly hold: () => Promise<unknown>
    readonly release: () => Promise<unknown>
  },
): Promise<void> {
  const { from, application, hold, release } = roles
  const known = new Set((await sessionsOf(from.connection, application)).map(({ id }) => id))
  await hold()
  const end = performance.now() + 2000
  for (;;) {
    const sessions = await sessionsOf(from.connection, application)
    // One that came just before clients waited has perhaps not begun yet, and ends by itself.
    const cut = sessions.filter(({ id, idle }) => idle >= (known.has(id) ? 5 : 100))
    await Promise.all(cut.map(({ id }) => kill(from.connection, id)))
    if (sessions.length === cut.length || performance.now() > end) break
    // time: a rest between two looks.
    await delay(10)
  }
  await changePrimary(roles, async () => {
    const sessions = await sessionsOf(from.connection, application)
    await Promise.all(sessions.map(({ id }) => kill(from.connection, id)))
  })
  await release()
}

/** The same statements in the same order, and nobody waits: clients and connectors find out by themselves. */
export const switchWithoutHolding = (roles: Roles): Promise<void> =>
  changePrimary(roles, async () => undefined)
