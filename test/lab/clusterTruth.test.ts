import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, connectClient } from './scenario/client.ts'
import { clientPorts, type DatabaseCluster, startDatabaseCluster } from './scenario/databaseCluster.ts'
import { replicates, sql, startDatabase } from './scenario/databases.ts'
import { replicationPassword } from './scenario/serverKind.ts'
import { eventually } from './support/eventually.ts'
import { hostOf, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** Milliseconds that a client waits for a writer, and a connector for a manager; alpha.yaml has them. */
const maxHold = 4000
const managerTimeout = 5000

/**
 * What databases say against the services map, seen through managers and connectors: db1 is installed as primary of db2 and
 * db3, and app1 runs a connector alone.
 */
describe.skipIf(labHere.missing)(`a cluster whose databases contradict its map${labHere.needs}`, () => {
  let cluster: DatabaseCluster
  let db1: LabHost
  let db2: LabHost
  let db3: LabHost
  let app1: LabHost
  let connectors: readonly LabHost[]

  const follow = (replica: LabHost, primary: LabHost): Promise<string> =>
    sql(
      replica,
      [
        'STOP SLAVE;',
        `CHANGE MASTER TO MASTER_HOST='${primary.address}', MASTER_USER='repl',`,
        `MASTER_PASSWORD='r\\'\\\\"é', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1;`,
        'SET GLOBAL read_only = 1;',
        'START SLAVE;',
      ].join('\n'),
    )
  const becomePrimary = 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0;'

  const insert = async (through: LabHost, note: string): Promise<string> => {
    let client: Client | undefined
    try {
      client = await connectClient(cluster.through(through))
      await client.ask(`INSERT INTO orders (id, note) SELECT COALESCE(MAX(id), 0) + 1, '${note}' FROM orders`)
      return `${await client.ask('SELECT @@server_id')}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      await client?.end().catch(() => undefined)
    }
  }
  const writerIs = async (server: number, by: readonly LabHost[] = connectors): Promise<void> => {
    for (const it of by)
      await eventually(
        `writes through ${it.name} at ${server}`,
        async () => {
          const told = await insert(it, 'a look')
          if (told === `${server}`) return true
          throw new Error(told)
        },
        { timeout: 60_000, every: 200 },
      )
  }
  const codeOf = (by: LabHost, name: string, code: string | null) =>
    eventually(
      `${name} with ${code} at ${by.name}`,
      async () => {
        const seen = await cluster.source(by, name)
        if (seen.code === code) return seen
        throw new Error(`${seen.state} ${seen.code} ${seen.reason}`)
      },
      { every: 100 },
    )

  beforeAll(async () => {
    cluster = await startDatabaseCluster({
      members: ['db1', 'db2', 'db3'],
      connectors: ['app1'],
      defaults: [
        `connector-max-hold: ${maxHold}ms`,
        `connector-manager-timeout: ${managerTimeout}ms`,
        'connector-drain-timeout: 1s',
      ],
    })
    const [first, second, third] = cluster.members
    if (!first || !second || !third) throw new Error('the lab is not there')
    ;[db1, db2, db3] = [first, second, third]
    app1 = hostOf(cluster.lab, 'app1')
    connectors = [db1, db2, db3, app1]
    for (const it of [db2, db3]) await sql(it, 'SET GLOBAL read_only = 1')
  })
  afterAll(() => cluster?.lab.stop())

  it('is installed, and every connector follows a manager', async () => {
    const install = await cluster.operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    await cluster.allOnline()
    await writerIs(1)
    for (const it of connectors) {
      await cluster.readers(it, [2, 3])
      expect(await cluster.connector(it)).toMatchObject({ value: 'ONLINE', reason: null })
    }
    for (const name of ['db1', 'db2', 'db3']) await codeOf(db1, name, null)
  })

  it('keeps readers of a host without a manager from a replica that stopped replicating', async () => {
    await sql(db2, 'STOP SLAVE')
    for (const seen of await cluster.seenAs('db2', 'FAILED')) expect(seen.code).toBe('not-replicating')
    await cluster.readers(app1, [3])
    await sql(db2, 'START SLAVE')
    await cluster.allOnline()
    await cluster.readers(app1, [2, 3])
  })

  it('has a change by a manager in force in its own connector at once, elsewhere within a second', async () => {
    const control = 'control/service/alpha/datasource/db3'
    const post = (what: string): Promise<unknown> =>
      Promise.all(
        cluster.members.map(async (it) => {
          expect(await cluster.apis().post(it, 'manager', `${control}/${what}?peers=alone`)).toMatchObject({
            status: 200,
          })
        }),
      )
    const serversOf = async (of: LabHost): Promise<readonly number[]> => {
      const servers = Array.from({ length: 8 }, () =>
        cluster.serverOf(cluster.through(of, clientPorts.reads)),
      )
      return [...new Set(await Promise.all(servers))]
    }
    await post('shun')
    const answered = performance.now()
    expect(await serversOf(db1)).toEqual([2])
    const looks: number[] = []
    const isOut = async (): Promise<boolean> => {
      const begun = performance.now()
      const found = await serversOf(app1)
      looks.push(performance.now() - begun)
      return `${found}` === '2'
    }
    await eventually('readers of app1 at db2 alone', isOut, { every: 10 })
    // A second, and what eight clients need to connect; where that takes long, so does all that happens meanwhile.
    expect(performance.now() - answered).toBeLessThan(Math.max(3000, 5 * Math.max(...looks)))
    await post('welcome')
    await cluster.readers(app1, [2, 3])
  })

  it('leads readers past a server that hangs, and has it out within seconds', async () => {
    await db2.run('kill -STOP $(cat /run/mysqld/mysqld.pid)')
    const reads = await Promise.allSettled(
      Array.from({ length: 6 }, () => cluster.serverOf(cluster.through(app1, clientPorts.reads))),
    )
    expect(reads.map((it) => (it.status === 'fulfilled' ? it.value : String(it.reason)))).toEqual(
      Array.from({ length: 6 }, () => 3),
    )
    await cluster.seenAs('db2', 'FAILED')
    await db2.run('kill -CONT $(cat /run/mysqld/mysqld.pid)')
    await cluster.allOnline()
    await cluster.readers(app1, [2, 3])
  })

  it('shows a replica that can be written, and reads from it', async () => {
    await sql(db2, 'SET GLOBAL read_only = 0')
    expect(await codeOf(db3, 'db2', 'writable-replica')).toMatchObject({ state: 'ONLINE', role: 'replica' })
    await cluster.readers(app1, [2, 3])
    await sql(db2, 'SET GLOBAL read_only = 1')
    await codeOf(db3, 'db2', null)
  })

  it('fences a replica that follows another server than the primary', async () => {
    await follow(db3, db2)
    for (const seen of await cluster.seenAs('db3', 'FAILED')) expect(seen.code).toBe('follows-other')
    await cluster.readers(app1, [2])
    const recovered = await cluster.tapi(db2, 'datasource', 'recover', 'db3', '--i-am-sure')
    expect(recovered, recovered.stderr).toMatchObject({ code: 0 })
    await replicates(db3)
    await cluster.allOnline()
  })

  it('fences a replica that follows a server outside its service', async () => {
    await startDatabase(app1, 9)
    const account = `repl@'%' IDENTIFIED BY '${replicationPassword.replaceAll(/[\\']/g, '\\$&')}'`
    await sql(app1, `SET sql_log_bin = 0; CREATE USER ${account}; GRANT REPLICATION SLAVE ON *.* TO repl@'%'`)
    await sql(
      db3,
      `STOP SLAVE; CHANGE MASTER TO MASTER_HOST='${app1.address}', MASTER_USE_GTID=no; START SLAVE`,
    )
    for (const seen of await cluster.seenAs('db3', 'FAILED')) expect(seen.code).toBe('unknown-server')
    await cluster.readers(app1, [2])
    await follow(db3, db1)
    await replicates(db3)
    await cluster.allOnline()
  })

  it('names the transactions that a replica has and the primary has not', async () => {
    await sql(db3, 'CREATE DATABASE errant')
    const seen = await codeOf(db1, 'db3', 'errant-transactions')
    expect(seen).toMatchObject({
      state: 'ONLINE',
      reason: expect.stringMatching(/db1 does not have: 0-3-\d+\./),
    })
    await sql(
      db3,
      'SET sql_log_bin = 0; DROP DATABASE errant; STOP SLAVE; SET GLOBAL gtid_slave_pos = @@gtid_slave_pos',
    )
    const position = await sql(db1, 'SELECT @@gtid_binlog_pos')
    await sql(db3, `RESET MASTER; SET GLOBAL gtid_slave_pos = '${position}'; START SLAVE`)
    await replicates(db3)
    await codeOf(db1, 'db3', null)
  })

  it('lets nobody write while the primary follows another server', async () => {
    await follow(db1, db2)
    expect((await codeOf(db2, 'db1', 'no-writer')).reason).toMatch(
      /^It is the primary, but follows another server/,
    )
    await codeOf(db3, 'db1', 'no-writer')
    expect((await cluster.service(db3)).writer).toMatchObject({
      datasource: null,
      code: 'no-writer',
      hold: true,
    })
    await sql(db1, becomePrimary)
    await writerIs(1)
    await codeOf(db2, 'db1', null)
  })

  it('holds writers while the primary is read-only, and tells those why who wait too long', async () => {
    await sql(db1, 'SET GLOBAL read_only = 1')
    for (const it of connectors)
      await eventually(`no writer at ${it.name}`, async () => (await cluster.connector(it)).reason !== null)
    expect(await insert(app1, 'in vain')).toMatch(/db1.*read-only/i)
    await codeOf(db2, 'db1', 'read-only-primary')
    const held = insert(app1, 'held')
    await eventually('a held client', async () => (await cluster.connector(app1)).held === 1)
    await sql(db1, 'SET GLOBAL read_only = 0')
    expect(await held).toBe('1')
    await cluster.allOnline()
    await writerIs(1)
  })

  it('lets nobody write while two servers call themselves the primary', async () => {
    const open = await connectClient(cluster.through(app1))
    await open.ask("INSERT INTO orders (id, note) VALUES (5000, 'before')")
    await sql(db2, becomePrimary)
    for (const it of connectors)
      await eventually(`two writers at ${it.name}`, async () =>
        /db1.*db2|db2.*db1/.test(`${(await cluster.connector(it)).reason}`),
      )
    await expect(open.ask("INSERT INTO orders (id, note) VALUES (5001, 'after')")).rejects.toThrow()
    expect((await cluster.service(db3)).writer).toMatchObject({ datasource: null, code: 'two-writers' })
    const told = await Promise.all(connectors.map((it) => insert(it, 'in vain')))
    for (const answer of told) expect(answer).toMatch(/db1.*db2|db2.*db1/)
    await follow(db2, db1)
    await cluster.allOnline()
    await writerIs(1)
  })

  it('follows a primary that somebody changed, and has the old one follow when it comes back', async () => {
    // The last transaction that db1 wrote as a primary.
    const ownOfDb1 = async () => /0-1-\d+/.exec(await sql(db1, 'SELECT @@gtid_binlog_state'))?.[0]
    const before = await ownOfDb1()
    expect(before).toBeDefined()
    await db1.kill()
    await cluster.seenAs('db1', 'FAILED', [db2, db3])
    await sql(db2, becomePrimary)
    await follow(db3, db2)
    await writerIs(2, [db2, db3, app1])

    const told: string[] = []
    let isBack = false
    const writing = (async () => {
      while (!isBack) told.push(await insert(db1, 'through the host that came back').catch(String))
    })()
    await db1.boot()
    await eventually(
      'db1 read-only by its own manager',
      async () => (await sql(db1, 'SELECT @@read_only')) === '1',
      { timeout: 60_000, every: 200 },
    )
    await replicates(db1)
    await writerIs(2)
    isBack = true
    await writing
    expect(told).not.toContain('1')
    expect(await ownOfDb1()).toBe(before)

    await cluster.allOnline()
    expect(await cluster.source(db3, 'db1')).toMatchObject({
      role: 'replica',
      code: 'read-only-primary',
      reason: expect.stringContaining('The services map names it as the primary, but that is db2.'),
    })
    await cluster.readers(app1, [1, 3])

    const { stdout } = await cluster.tapi(db2, 'map', 'show', '--json')
    const roleOf: Readonly<Record<string, string>> = { db1: 'replica', db2: 'primary', db3: 'replica' }
    const map = JSON.parse(stdout, (_key, value) => {
      const role = roleOf[value?.name]
      return role === undefined ? value : { ...value, role }
    })
    cluster.operator.write('map.json', JSON.stringify(map))
    for (const it of cluster.members) {
      const set = await cluster.tapi(it, 'map', 'set', '--yes', 'map.json')
      expect(set, set.stderr).toMatchObject({ code: 0 })
    }
    await codeOf(db3, 'db1', null)
  })

  it('refuses new clients where no manager answers for too long, and is ready again when one does', async () => {
    // The map was changed a moment ago, and managers can take changes back for a minute.
    for (const it of cluster.members) {
      const { stdout } = await it.run(
        'systemctl stop muster-alpha-manager; systemctl show -P Result muster-alpha-manager',
      )
      expect(stdout).toBe('success\n')
    }
    const ready = (): Promise<string> =>
      app1
        .run('curl -s -k -o /dev/null -w "%{http_code}" https://127.0.0.1:8096/health/ready')
        .then(({ stdout }) => stdout)
    expect(await insert(app1, 'still by the last known map')).toBe('2')
    // Seldom: more than 20 calls without a login are a line at the end of their minute, which is to be quiet.
    await eventually('app1 not ready', async () => (await ready()) === '503', { every: 3000 })
    expect(await insert(app1, 'in vain')).toMatch(/manager/)
    for (const it of cluster.members) await it.run('systemctl start muster-alpha-manager')
    await writerIs(2)
    expect(await ready()).toBe('200')
  })

  it('writes nothing about its own calls into the log of a quiet minute', async () => {
    const journal = async (of: LabHost, more: string): Promise<string> => {
      const read = await of.run(`journalctl --sync && journalctl --quiet --no-pager -o cat ${more}`)
      expect(read).toMatchObject({ code: 0, stderr: '' })
      return read.stdout
    }
    const cursors = await Promise.all(connectors.map((it) => journal(it, '-n 1 --show-cursor')))
    // Calls would come at any time; there is no event to wait for.
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    const tags = '-t muster-manager -t muster-connector -t muster-replicator'
    for (const [index, it] of connectors.entries()) {
      const [, cursor] = /^-- cursor: (\S+)$/m.exec(cursors[index] ?? '') ?? []
      expect(await journal(it, `--after-cursor '${cursor}' ${tags}`)).toBe('')
    }
  })

  it('is taken away again', async () => {
    const uninstall = await cluster.operator.muster(['uninstall', '--yes', '--purge', 'alpha.yaml'])
    expect(uninstall, uninstall.stderr).toMatchObject({ code: 0 })
  })
})
