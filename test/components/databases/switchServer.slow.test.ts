import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../../src/components/databases/connect.ts'
import type { Connection } from '../../../src/components/databases/connection.ts'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { createSwitchServer, type SwitchServer } from '../../../src/components/databases/switchServer.ts'
import { replicationPrivileges } from '../../../src/contracts/databaseAccounts.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { eventually } from '../../support/eventually.ts'
import {
  createAccount,
  forgetReplication,
  hasMariadb,
  type Mariadb,
  mariadbLab,
} from '../../support/mariadb.ts'
import { createServerCertificate } from '../../support/serverCertificate.ts'

const password = `it's "a\\b" é`
const names = ['db1', 'db2', 'db3'] as const
type Name = (typeof names)[number]

const failure = async (work: Promise<unknown>): Promise<DatabaseError> => {
  try {
    await work
  } catch (error) {
    if (error instanceof DatabaseError) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe.skipIf(!hasMariadb)('the changes of a switch on real MariaDB servers', () => {
  let lab: Awaited<ReturnType<typeof mariadbLab>>
  let servers: Readonly<Record<Name, Mariadb>>
  let folder: string
  let authority: string

  beforeAll(async () => {
    lab = await mariadbLab()
    folder = mkdtempSync(join(tmpdir(), 'muster-'))
    const { key, chain } = createServerCertificate()
    authority = join(folder, "it's the authority.pem")
    writeFileSync(authority, chain)
    writeFileSync(join(folder, 'key.pem'), key)
    const tls = [`--ssl-ca=${authority}`, `--ssl-cert=${authority}`, `--ssl-key=${join(folder, 'key.pem')}`]
    const start = async (): Promise<Mariadb> => {
      const server = await lab.server({ options: ['--log-slave-updates', ...tls] })
      await createAccount(server, password)
      await server.sql(
        'SET sql_log_bin = 0',
        "CREATE USER repl@'127.0.0.1' IDENTIFIED BY 'repl-secret' REQUIRE SSL",
        "GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'",
        "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app'",
        "GRANT ALL ON t.* TO app@'127.0.0.1'",
      )
      return server
    }
    const [db1, db2, db3] = await Promise.all([start(), start(), start()])
    servers = { db1, db2, db3 }
  })
  afterAll(async () => {
    await lab?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  // A primary and two replicas by TLS, without a past.
  beforeEach(async () => {
    for (const name of names) {
      await forgetReplication(servers[name])
      await servers[name].sql(
        'SET GLOBAL read_only = 0',
        'RESET MASTER',
        "SET GLOBAL gtid_slave_pos = ''",
        'SET sql_log_bin = 0',
        'CREATE DATABASE IF NOT EXISTS t',
        'CREATE OR REPLACE TABLE t.x (a INT PRIMARY KEY)',
      )
    }
    for (const name of ['db2', 'db3'] as const) {
      await servers[name].sql(
        `CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${servers.db1.port}, MASTER_USER='repl',
         MASTER_PASSWORD='repl-secret', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1, MASTER_SSL=1,
         MASTER_SSL_CA='${authority.replaceAll("'", "\\'")}', MASTER_SSL_VERIFY_SERVER_CERT=1`,
        'SET GLOBAL read_only = 1',
        'START ALL SLAVES',
      )
    }
  })

  const accountOf = (name: Name, user: string, secret: string) => ({
    host: '127.0.0.1',
    port: servers[name].port,
    user,
    password: new Secret(secret),
    purpose: 'replication' as const,
  })

  function switching(
    name: Name,
    more: {
      readonly user?: string
      readonly query?: number
      readonly leftOut?: readonly string[]
      readonly idle?: number
    } = {},
  ): SwitchServer {
    const { user = 'muster', query = 5000, leftOut = ['muster', 'repl'], idle = 60_000 } = more
    const server = createSwitchServer({
      dial: (signal) => connect(accountOf(name, user, user === 'muster' ? password : 'x'), signal),
      place: name,
      service: 'alpha',
      leftOut,
      idle,
      limits: { connect: 5000, query, change: 10_000 },
    })
    onTestFinished(() => server.close())
    return server
  }

  async function client(name: Name, ...statements: readonly string[]): Promise<Connection & { id: number }> {
    const opened = await connect(accountOf(name, 'app', 'app'), new AbortController().signal)
    onTestFinished(() => opened.close())
    const [row] = await opened.query('SELECT CONNECTION_ID() AS id')
    for (const statement of statements) await opened.query(statement)
    return { ...opened, id: Number(row?.id) }
  }

  const account = { user: 'muster', password: new Secret(password) }
  const source = (name: Name) => ({ host: '127.0.0.1', port: servers[name].port })
  const rows = async (name: Name): Promise<readonly unknown[]> =>
    (await servers[name].sql('SELECT a FROM t.x ORDER BY a')).map((row) => row.a)

  /** What a switch does, without clients. */
  async function switchOver(from: Name, to: Name): Promise<void> {
    const all = Object.fromEntries(names.map((name) => [name, switching(name)])) as Record<Name, SwitchServer>
    const { tls } = await all[to].read()
    await all[from].setReadOnly(true)
    expect(await all[to].waitFor(await all[from].written(), 10_000)).toBe(true)
    await all[to].stopReplication()
    await all[to].setReadOnly(false)
    await all[to].forgetSources()
    for (const name of names) {
      if (name === to) continue
      await all[name].follow({ ...source(to), ...(name === from ? { account, tls } : {}) })
    }
    for (const name of names) all[name].close()
  }

  async function forgetOldLogs(name: Name): Promise<void> {
    const [log] = await servers[name].sql('FLUSH BINARY LOGS', 'SHOW MASTER STATUS')
    // InnoDB needs the old one for a moment.
    await eventually(async () => {
      await servers[name].sql(`PURGE BINARY LOGS TO '${log?.File}'`)
      expect(await servers[name].sql('SHOW BINARY LOGS')).toHaveLength(1)
    })
  }

  it('move the primary from server to server and back, with TLS and every row', async () => {
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    let next = 2
    for (const [from, to] of [
      ['db1', 'db2'],
      ['db2', 'db3'],
      ['db3', 'db1'],
      ['db1', 'db3'],
    ] as const) {
      // So that a server which asked for what it has would not get it.
      await forgetOldLogs(to)
      await switchOver(from, to)
      await servers[to].sql(`INSERT INTO t.x VALUES (${next++})`)
      const expected = Array.from({ length: next - 1 }, (_, index) => index + 1)
      for (const name of names) await eventually(async () => expect(await rows(name)).toEqual(expected))
      for (const name of names) {
        const [channel, ...others] = await servers[name].sql('SHOW ALL SLAVES STATUS')
        expect(others).toEqual([])
        if (name === to) expect(channel).toBeUndefined()
        else
          expect(channel).toMatchObject({
            Master_Port: servers[to].port,
            Slave_IO_Running: 'Yes',
            Slave_SQL_Running: 'Yes',
            Using_Gtid: 'Slave_Pos',
            Master_SSL_Allowed: 'Yes',
            Master_SSL_CA_File: authority,
            Master_SSL_Verify_Server_Cert: 'Yes',
          })
      }
      expect((await servers[to].sql('SELECT @@read_only AS it'))[0]?.it).toBe(0)
      expect((await servers[from].sql('SELECT @@read_only AS it'))[0]?.it).toBe(1)
    }
  })

  it('keep what a former primary replicated of other domains', async () => {
    await servers.db1.sql("SET GLOBAL gtid_slave_pos = '7-9-5'", 'INSERT INTO t.x VALUES (1)')
    await switchOver('db1', 'db2')
    const [position] = await servers.db1.sql('SELECT @@gtid_slave_pos AS it')
    expect(String(position?.it).split(',').toSorted()).toEqual([expect.stringMatching(/^0-1-\d+$/), '7-9-5'])
  })

  it('keep the account of a server whose channel has a name, and remove its other channels', async () => {
    await forgetReplication(servers.db3)
    for (const [index, channel] of ["o'ne", 'two'].entries()) {
      await servers.db3.sql(
        `CHANGE MASTER '${channel.replace("'", "\\'")}' TO MASTER_HOST='127.0.0.1', MASTER_PORT=${index + 1}, MASTER_USER='repl',
         MASTER_PASSWORD='repl-secret', MASTER_SSL=1, MASTER_USE_GTID=slave_pos`,
      )
    }
    await switching('db3').follow(source('db1'))
    const channels = await servers.db3.sql('SHOW ALL SLAVES STATUS')
    expect(channels).toMatchObject([
      {
        Connection_name: "o'ne",
        Master_Port: servers.db1.port,
        Master_User: 'repl',
        Slave_IO_Running: expect.any(String),
      },
    ])
    await servers.db1.sql('INSERT INTO t.x VALUES (9)')
    await eventually(async () => expect(await rows('db3')).toEqual([9]))
  })

  it('let a server follow that was killed while it changed its source', async () => {
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect(await rows('db3')).toEqual([1]))
    const [at] = await servers.db3.sql('STOP SLAVE', 'SELECT @@datadir AS folder')
    await servers.db3.kill()
    // CHANGE MASTER removes the relay logs before it forgets where it was in them.
    const data = String(at?.folder)
    const index = readdirSync(data).find((it) => it.endsWith('relay-bin.index'))
    writeFileSync(join(data, String(index)), '')
    await servers.db3.start('--read-only')
    const [channel] = await servers.db3.sql('SHOW ALL SLAVES STATUS')
    expect(channel).toMatchObject({ Slave_SQL_Running: 'No', Master_User: 'repl', Last_SQL_Error: '' })
    await servers.db1.sql('INSERT INTO t.x VALUES (2)')
    await switching('db3').follow(source('db1'))
    await eventually(async () => expect(await rows('db3')).toEqual([1, 2]))
  })

  it('refuse to follow without any account, and never tell a password that is too long', async () => {
    expect(await failure(switching('db1').follow(source('db2')))).toMatchObject({ code: 'not-configured' })
    const long = new Secret('hidden'.repeat(20))
    const error = await failure(
      switching('db1').follow({ ...source('db2'), account: { user: 'muster', password: long } }),
    )
    expect(error.message).toMatch(/at most 96 characters/)
    const other = await failure(
      switching('db1').follow({
        ...source('db2'),
        account: { user: 'u'.repeat(300), password: new Secret('hidden') },
      }),
    )
    expect(other.code).toBe('refused')
    for (const it of [error, other]) {
      expect(JSON.stringify([it.message, it.stack, it.cause ?? null])).not.toContain('hidden')
    }
  })

  it('hold one lock, which a second one takes by force and so ends the first', async () => {
    const [first, second] = [switching('db1'), switching('db1')]
    expect(await first.lock(false)).toBe(true)
    expect(await first.lock(false)).toBe(true)
    expect(await second.lock(false)).toBe(false)
    expect(await switching('db2').lock(false)).toBe(true)
    expect(await second.lock(true)).toBe(true)
    expect(await failure(first.setReadOnly(true))).toMatchObject({ code: 'unreachable' })
    expect(await failure(first.lock(false))).toMatchObject({ code: 'unreachable' })
    expect((await servers.db1.sql('SELECT @@read_only AS it'))[0]?.it).toBe(0)
    second.close()
    const third = switching('db1')
    await eventually(async () => expect(await third.lock(false)).toBe(true))
  })

  it('lose the lock where their host is silent for long, as one without power', async () => {
    expect(await switching('db1', { idle: 1000 }).lock(false)).toBe(true)
    const second = switching('db1')
    expect(await second.lock(false)).toBe(false)
    await eventually(async () => expect(await second.lock(false)).toBe(true))
  })

  it('take the lock from a client that took it to keep everybody from switching', async () => {
    const hostile = await client('db1', "SELECT GET_LOCK('muster.switch.alpha', 0)")
    expect(await switching('db1').lock(false)).toBe(true)
    await expect(hostile.query('SELECT 1')).rejects.toThrow()
  })

  it('take the lock by force from a server that waits for transactions', async () => {
    const first = switching('db2')
    await first.lock(false)
    const waits = failure(first.waitFor('0-1-999999', 60_000))
    await eventually(async () => {
      const [row] = await servers.db2.sql(
        "SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT MASTER_GTID_WAIT%'",
      )
      expect(Number(row?.n)).toBe(1)
    })
    expect(await switching('db2').lock(true)).toBe(true)
    expect((await waits).code).toMatch(/unreachable|refused/)
  })

  it('see clients, what they do and in which transactions, but neither replication nor managers', async () => {
    const server = switching('db1')
    const idle = await client('db1')
    const writes = await client('db1', 'BEGIN', 'INSERT INTO t.x VALUES (1)')
    const reads = await client('db1', 'BEGIN', 'SELECT * FROM t.x')
    const busy = await client('db1')
    const running = busy.query('SELECT SLEEP(30)').catch(() => undefined)
    const look = async () => new Map((await server.sessions()).map((one) => [one.id, one]))
    await eventually(async () => expect((await look()).get(busy.id)?.isIdle).toBe(false))
    const other = switching('db1', { leftOut: [] })
    await other.lock(false)
    const first = await look()
    // The replicas' connections are none of clients, whoever they log in as, once they have asked for the binary log.
    await eventually(async () => {
      expect(new Set((await other.sessions()).map(({ user }) => user))).toEqual(new Set(['app', 'muster']))
    })
    expect([...first.keys()].toSorted()).toEqual([idle, writes, reads, busy].map(({ id }) => id).toSorted())
    expect(first.get(idle.id)).toMatchObject({ user: 'app', isIdle: true, transaction: null })
    expect(first.get(writes.id)).toMatchObject({ isIdle: true, transaction: { seconds: expect.any(Number) } })
    expect(first.get(reads.id)?.transaction).not.toBeNull()
    // It gets a number with its first write, and is still the same.
    await reads.query('INSERT INTO t.x VALUES (2)')
    const second = await look()
    expect(second.get(reads.id)?.transaction?.id).toBe(first.get(reads.id)?.transaction?.id)
    expect(second.get(writes.id)?.transaction?.id).toBe(first.get(writes.id)?.transaction?.id)
    await writes.query('COMMIT')
    await writes.query('BEGIN')
    await writes.query('INSERT INTO t.x VALUES (3)')
    await reads.query('COMMIT')
    const third = await look()
    expect(third.get(reads.id)?.transaction).toBeNull()
    expect(third.get(writes.id)?.transaction?.id).not.toBe(first.get(writes.id)?.transaction?.id)
    await server.kill([...third.keys(), 4_000_000])
    await eventually(async () => expect([...(await look()).keys()]).toEqual([]))
    await running
    expect(await rows('db1')).toEqual([1, 2])
  })

  it('see a change of a transaction at once, however often they look', async () => {
    const server = switching('db1')
    const one = await client('db1')
    await server.sessions()
    for (let round = 1; round <= 20; round++) {
      await one.query('BEGIN')
      await one.query(`INSERT INTO t.x VALUES (${round})`)
      expect((await server.sessions())[0]?.transaction).not.toBeNull()
      await one.query('COMMIT')
      expect((await server.sessions())[0]?.transaction).toBeNull()
    }
  })

  it('see no transaction that a client only writes about, and each one that there is', async () => {
    const server = switching('db1')
    const victim = await client('db1')
    const real = await client('db1', 'BEGIN', 'INSERT INTO t.x VALUES (1)')
    const liar = await client('db1')
    const lines = [victim, real].map(
      ({ id }) =>
        `---TRANSACTION 77, ACTIVE 9999 sec\nMariaDB thread id ${id}, OS thread handle 1, query id 1 127.0.0.1 app \n---TRANSACTION 5, not started\n`,
    )
    const lie = `END OF INNODB MONITOR OUTPUT\nLIST OF TRANSACTIONS FOR EACH SESSION:\n${lines.join('')}`
    const running = liar.query(`SELECT COUNT(*), SLEEP(60) FROM t.x /*\n${lie}*/`).catch(() => undefined)
    await eventually(async () => {
      const [row] = await servers.db1.sql('SHOW ENGINE INNODB STATUS')
      expect(String(row?.Status)).toContain('ACTIVE 9999 sec')
    })
    for (let round = 0; round < 3; round++) {
      const all = new Map((await server.sessions()).map((one) => [one.id, one]))
      expect(all.get(victim.id)?.transaction).toBeNull()
      expect(all.get(real.id)?.transaction?.seconds).toBeLessThan(60)
      expect(all.get(liar.id)?.isIdle).toBe(false)
    }
    await server.kill([liar.id])
    await running
  })

  it('make a server read-only once its statements have ended, or leave it as it is', async () => {
    const server = switching('db1')
    const open = await client('db1', 'BEGIN', 'INSERT INTO t.x VALUES (1)')
    const busy = await client('db1')
    const running = busy.query('INSERT INTO t.x SELECT 100 + SLEEP(4)').catch(() => undefined)
    await eventually(async () => {
      const [row] = await servers.db1.sql(
        "SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE 'INSERT INTO t.x SELECT%'",
      )
      expect(Number(row?.n)).toBe(1)
    })
    const error = await failure(server.setReadOnly(true))
    expect([error.code, error.message]).toEqual([
      'refused',
      'The database db1 did not become read-only: statements or commits that are under way did not end in time.',
    ])
    expect((await servers.db1.sql('SELECT @@read_only AS it'))[0]?.it).toBe(0)
    await server.kill([busy.id])
    await running
    await server.setReadOnly(true)
    expect(await failure(open.query('COMMIT'))).toMatchObject({ number: 1290 })
    await server.setReadOnly(false)
    expect((await servers.db1.sql('SELECT @@read_only AS it'))[0]?.it).toBe(0)
  })

  it('exchange the roles of semi-synchronous replication', async () => {
    const server = switching('db1')
    const roles = async () => {
      const { semiSync } = await server.read()
      return semiSync
    }
    await server.setSemiSync({ source: true, replica: false })
    expect(await roles()).toEqual({ source: true, replica: false })
    await server.setSemiSync({ source: false, replica: true })
    expect(await roles()).toEqual({ source: false, replica: true })
    await server.setSemiSync({ source: false, replica: false })
    expect(await roles()).toEqual({ source: false, replica: false })
  })

  it('tell that transactions do not arrive, and refuse what are no GTIDs', async () => {
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    const [primary, replica] = [switching('db1'), switching('db2')]
    const gtids = await primary.written()
    expect(await replica.waitFor(gtids, 5000)).toBe(true)
    await replica.stopReplication()
    await servers.db1.sql('INSERT INTO t.x VALUES (2)')
    expect(await replica.waitFor(await primary.written(), 100)).toBe(false)
    await replica.startReplication()
    expect(await replica.waitFor(await primary.written(), 5000)).toBe(true)
    expect(await failure(replica.waitFor("0-1-1', 0), SLEEP(5", 100))).toMatchObject({ code: 'refused' })
    await primary.startReplication()
  })

  it('give a server up that hangs', async () => {
    const server = switching('db3', { query: 500 })
    await server.read()
    servers.db3.freeze()
    onTestFinished(() => servers.db3.thaw())
    expect(await failure(server.written())).toMatchObject({ code: 'timeout' })
    servers.db3.thaw()
    expect(await failure(server.setReadOnly(false))).toMatchObject({ code: 'unreachable' })
  })

  it('need exactly the privileges that are printed, and name each one that is missing', async () => {
    const user = "poor@'127.0.0.1'"
    const needed = replicationPrivileges('mariadb').map(([privilege]) => privilege)
    /** Everything that a switch does, with the account as that of replication too. */
    async function everything(): Promise<void> {
      const first = switching('db1', { user: 'poor' })
      const second = switching('db1', { user: 'poor' })
      await first.lock(false)
      await second.read()
      await second.sessions()
      await second.sessions()
      const one = await client('db1')
      await second.kill([one.id])
      await second.lock(true)
      await second.setReadOnly(true)
      await second.setReadOnly(false)
      await second.setSemiSync({ source: true, replica: true })
      await second.setSemiSync({ source: false, replica: false })
      await second.stopReplication()
      await second.follow({ ...source('db2'), account: { user: 'poor', password: new Secret('x') } })
      try {
        const channel = await eventually(async () => {
          const [it] = await servers.db1.sql('SHOW ALL SLAVES STATUS')
          if (Number(it?.Last_IO_Errno) === 0) expect(it?.Slave_IO_Running).toBe('Yes')
          return it
        })
        const isRefused = Number(channel?.Last_IO_Errno) !== 0
        if (isRefused) throw new DatabaseError({ code: 'refused', message: String(channel?.Last_IO_Error) })
      } finally {
        await servers.db1.sql('STOP ALL SLAVES')
      }
      await second.forgetSources()
    }
    async function grant(all: readonly string[]): Promise<void> {
      for (const name of ['db1', 'db2'] as const) {
        await servers[name].sql(
          'SET sql_log_bin = 0',
          `CREATE OR REPLACE USER ${user} IDENTIFIED BY 'x'`,
          ...all.map((privilege) => `GRANT ${privilege} ON *.* TO ${user}`),
        )
      }
      await forgetReplication(servers.db1)
    }
    await forgetReplication(servers.db2)
    await grant(needed)
    await everything()
    expect((await switching('db1', { user: 'poor' }).read()).missingPrivileges).toEqual([])
    const unneeded: string[] = []
    for (const privilege of needed) {
      await grant(needed.filter((it) => it !== privilege))
      await everything().then(
        () => unneeded.push(privilege),
        () => undefined,
      )
      await servers.db1.sql('SET GLOBAL read_only = 0')
      const reading = switching('db1', { user: 'poor' }).read()
      if (privilege.endsWith(' MONITOR')) expect((await failure(reading)).message).toContain(privilege)
      else expect((await reading).missingPrivileges).toEqual([privilege])
    }
    await grant(needed)
    await everything()
    expect(unneeded).toEqual([])
  })
})
