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

/** Sessions of the application at a server, and whether each is in a statement or a transaction. */
async function sessionsOf(connection: Connection, user: string) {
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT p.ID AS id, p.COMMAND <> 'Sleep' OR t.trx_id IS NOT NULL AS isBusy
     FROM information_schema.PROCESSLIST p
     LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID WHERE p.USER = ?`,
    [user],
  )
  return rows.map((it) => ({ id: Number(it.id), isBusy: Number(it.isBusy) === 1 }))
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
  await hold()
  // What is idle twice in a row is not a client between its login and its first statement.
  const end = performance.now() + 2000
  let idle = new Set<number>()
  for (;;) {
    const sessions = await sessionsOf(from.connection, application)
    const quiet = sessions.filter(({ isBusy }) => !isBusy).map(({ id }) => id)
    await Promise.all(quiet.filter((id) => idle.has(id)).map((id) => kill(from.connection, id)))
    if (sessions.length === 0 || performance.now() > end) break
    idle = new Set(quiet)
    await delay(5)
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
