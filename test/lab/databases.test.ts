import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterTopologyPayload } from '../../src/contracts/managerPayloads.ts'
import type { ReplicatorStatusPayload } from '../../src/contracts/replicatorPayloads.ts'
import type { Apis } from './scenario/api.ts'
import { askOnce, connectClient } from './scenario/client.ts'
import { type DatabaseCluster, startDatabaseCluster } from './scenario/databaseCluster.ts'
import { replicates, sql } from './scenario/databases.ts'
import { betrayedBy } from './scenario/filesBelow.ts'
import { installationState, pidsOf, remains } from './scenario/hostState.ts'
import type { Operator } from './scenario/operator.ts'
import { eventually } from './support/eventually.ts'
import type { LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']

describe.skipIf(labHere.missing)(`a cluster over three databases in replication${labHere.needs}`, () => {
  let cluster: DatabaseCluster
  let hosts: readonly LabHost[]
  let operator: Operator
  let [db1, db2, db3]: LabHost[] = []

  const host = (it: LabHost | undefined): LabHost => {
    if (!it) throw new Error('the lab is not there')
    return it
  }
  const apis: Apis = {
    get: (...call) => cluster.apis().get(...call),
    post: (...call) => cluster.apis().post(...call),
  }
  const replicator = async (of: LabHost) =>
    (await apis.get<ReplicatorStatusPayload>(of, 'replicator', 'status')).alpha
  const through: DatabaseCluster['through'] = (...place) => cluster.through(...place)
  const service: DatabaseCluster['service'] = (of) => cluster.service(of)
  const source: DatabaseCluster['source'] = (...which) => cluster.source(...which)
  const connector: DatabaseCluster['connector'] = (of) => cluster.connector(of)
  const seenAs: DatabaseCluster['seenAs'] = (...seen) => cluster.seenAs(...seen)
  const allOnline: DatabaseCluster['allOnline'] = () => cluster.allOnline()
  const serverOf: DatabaseCluster['serverOf'] = (place) => cluster.serverOf(place)
  const readers: DatabaseCluster['readers'] = (...wanted) => cluster.readers(...wanted)

  beforeAll(async () => {
    cluster = await startDatabaseCluster({ members: names, defaults: ['connector-max-hold: 12s'] })
    ;({ members: hosts, operator } = cluster)
    ;[db1, db2, db3] = [...hosts]
  })
  afterAll(() => cluster?.lab.stop())

  it('is installed in one run, and a second one has nothing to do', async () => {
    const install = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    const before = await Promise.all(hosts.map(installationState))
    const again = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(again, again.stderr).toMatchObject({ code: 0 })
    expect(again.stdout).toContain('nothing to do')
    expect(await Promise.all(hosts.map(installationState))).toEqual(before)
  })

  it('keeps the passwords of the databases in one file of each host, for its service alone', async () => {
    for (const it of hosts) {
      const folders = ['etc', 'opt', 'run', 'tmp', 'var/log'].map((name) => join(it.root(), name))
      for (const secret of [cluster.secrets.replicator, cluster.secrets.monitor]) {
        expect(betrayedBy(secret, folders)).toEqual([join(it.root(), 'opt/muster/share/secrets.json')])
      }
      const { stdout } = await it.run('stat -c "%a %U" /opt/muster/share/secrets.json')
      expect(stdout.trim()).toBe('640 root')
    }
  })

  it('is seen by every manager as it is', async () => {
    await allOnline()
    for (const it of hosts) {
      const topology = await apis.get<ClusterTopologyPayload>(it, 'manager', 'cluster/topology')
      expect(topology.services).toEqual([
        {
          name: 'alpha',
          role: 'primary',
          datasources: names.map((name, index) => ({ name, role: index === 0 ? 'primary' : 'replica' })),
        },
      ])
      expect(topology.routers?.[0]?.connections).not.toBeNull()
    }
    expect(await replicator(host(db1))).toMatchObject({ role: 'primary', state: 'ONLINE' })
    expect(await replicator(host(db2))).toMatchObject({ role: 'replica', state: 'ONLINE' })
  })

  it('takes writes to the primary and reads to the replicas, through each connector', async () => {
    for (const [index, it] of hosts.entries()) {
      await askOnce(through(it), `INSERT INTO orders VALUES (${index + 1}, 'first')`)
      expect(await serverOf(through(it))).toBe(1)
      await readers(it, [2, 3])
    }
    await eventually('three orders on db3', async () => {
      return (await sql(host(db3), 'SELECT COUNT(*) FROM shop.orders')) === '3'
    })
  })

  it('tells of lag, and fences nobody for it', async () => {
    const slow = sql(
      host(db1),
      "SET SESSION binlog_format = 'STATEMENT'; INSERT INTO shop.orders SELECT 100, CONCAT('slept ', SLEEP(5))",
    )
    slow.catch(() => undefined)
    const seen = await eventually('lag on db2', async () => {
      const it = await source(host(db1), 'db2')
      return (it.appliedLatency ?? 0) >= 2 && it
    })
    expect(seen.state).toBe('ONLINE')
    await slow
    await eventually('no lag on db2', async () => (await source(host(db1), 'db2')).appliedLatency === 0)
  })

  it('fences a replica whose replication is broken, and takes it back when it is mended', async () => {
    await sql(host(db2), "SET sql_log_bin = 0; INSERT INTO shop.orders VALUES (7, 'on the replica alone')")
    await askOnce(through(host(db1)), "INSERT INTO orders VALUES (7, 'on the primary')")
    const seen = await seenAs('db2', 'FAILED')
    for (const it of seen) expect(it.reason).toContain('1062')
    expect(await replicator(host(db2))).toMatchObject({ state: 'OFFLINE:ERROR', pendingErrorCode: 1062 })
    for (const it of hosts) await readers(it, [3])

    const refused = await apis.post<{ code: string }>(host(db2), 'replicator', 'online')
    expect(refused).toMatchObject({ status: 409, payload: { code: 'replication-broken' } })
    await sql(host(db2), 'SET sql_log_bin = 0; DELETE FROM shop.orders WHERE id = 7')
    await apis.post(host(db2), 'replicator', 'offline')
    const online = await apis.post<Record<string, { state: string; changed: boolean }>>(
      host(db2),
      'replicator',
      'online',
    )
    expect(online, JSON.stringify(online)).toMatchObject({
      status: 200,
      payload: { alpha: { state: 'ONLINE' } },
    })
    await allOnline()
    for (const it of hosts) await readers(it, [2, 3])
  })

  it('fences a server that was stopped, and takes it back when it runs', async () => {
    await host(db3).run('systemctl stop mariadb')
    await seenAs('db3', 'FAILED')
    await readers(host(db1), [2])
    await host(db3).run('systemctl start mariadb')
    await replicates(host(db3))
    await allOnline()
    await readers(host(db1), [2, 3])
  })

  it('fences a server that hangs, and is not blocked by it when it goes on', async () => {
    await host(db2).run('kill -STOP $(cat /run/mysqld/mysqld.pid)')
    const seen = await seenAs('db2', 'FAILED')
    for (const it of seen) expect(it.reason).toMatch(/did not answer/)
    await readers(host(db3), [3])
    await host(db2).run('kill -CONT $(cat /run/mysqld/mysqld.pid)')
    await allOnline()
    await readers(host(db3), [2, 3])
  })

  it('leaves a shunned server out until it is welcomed', async () => {
    const control = 'control/service/alpha/datasource/db3'
    for (const it of hosts) {
      expect(await apis.post(it, 'manager', `${control}/shun?peers=alone`)).toMatchObject({
        status: 200,
        payload: { state: 'SHUNNED', changed: true },
      })
      await readers(it, [2])
    }
    for (const it of hosts) {
      expect(await apis.post(it, 'manager', `${control}/welcome?peers=alone`)).toMatchObject({ status: 200 })
      await readers(it, [2, 3])
    }
  })

  it('holds forty clients for three seconds and loses none', async () => {
    const [first] = [host(db1)]
    const dialled = () => sql(first, "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'app'")
    expect(await apis.post(first, 'connector', 'onhold')).toMatchObject({ status: 200 })
    const clients = Array.from({ length: 40 }, async (_, index) => {
      const client = await connectClient(through(first))
      await client.ask(`INSERT INTO orders VALUES (${1000 + index}, 'held')`)
      await client.end()
    })
    await eventually('forty held clients', async () => (await connector(first)).held === 40)
    const since = performance.now()
    await eventually('three seconds', async () => {
      expect((await connector(first)).held).toBe(40)
      expect(await dialled()).toBe('0')
      return performance.now() - since >= 3000
    })
    expect(await apis.post(first, 'connector', 'online')).toMatchObject({ status: 200 })
    await Promise.all(clients)
    expect(await sql(first, "SELECT COUNT(*) FROM shop.orders WHERE note = 'held'")).toBe('40')
    expect(await connector(first)).toMatchObject({ held: 0, value: 'ONLINE' })
  })

  it('is still offline after the connector was killed right after it said so', async () => {
    const it = host(db2)
    const before = await pidsOf(it, 'alpha')
    expect(await apis.post(it, 'connector', 'offline')).toMatchObject({ status: 200 })
    await it.run(`kill -KILL ${before.connector}`)
    const status = await eventually('the connector of db2', () => connector(it))
    expect((await pidsOf(it, 'alpha')).connector).not.toBe(before.connector)
    expect(status).toMatchObject({ value: 'OFFLINE', by: 'admin' })
    await expect(askOnce(through(it), 'SELECT 1')).rejects.toThrow()
    expect(await apis.post(it, 'connector', 'online')).toMatchObject({ status: 200 })
    expect(await serverOf(through(it))).toBe(1)
  })

  it('goes on reading when the host of the primary has no power, and says why it cannot write', async () => {
    const left = [host(db2), host(db3)]
    await host(db1).kill()
    await seenAs('db1', 'FAILED', left)
    for (const it of left) await readers(it, [2, 3])
    // One that was being dialled while the news came is refused in other words.
    const refused = left.map((it) =>
      eventually(`the refusal of writes at ${it.name}`, async () => {
        const told = await askOnce(through(it), 'SELECT 1').catch(String)
        return /db1.*FAILED/.test(String(told))
      }),
    )
    await Promise.all(refused)
    const status = await operator.muster(['status', 'alpha.yaml'])
    expect(status.code).toBe(4)
    await host(db1).boot()
    await seenAs('db1', 'ONLINE')
    await allOnline()
    // A connector asks its manager twice a second.
    for (const it of hosts) {
      await eventually(`writes through ${it.name}`, async () => (await serverOf(through(it))) === 1)
    }
    expect((await service(host(db1))).policy).toBe('AUTOMATIC')
  })

  it('leaves nothing but the databases', async () => {
    const uninstall = await operator.muster(['uninstall', '--yes', '--purge', 'alpha.yaml'])
    expect(uninstall, uninstall.stderr).toMatchObject({ code: 0 })
    for (const it of hosts) {
      expect(await remains(it)).toBe('')
      expect(await sql(it, 'SELECT COUNT(*) > 40 FROM shop.orders')).toBe('1')
    }
  })
})
