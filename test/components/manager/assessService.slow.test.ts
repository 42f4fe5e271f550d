import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openManager } from '../../../src/components/manager/manager.ts'
import type { OutsideChange } from '../../../src/contracts/choices.ts'
import type { DatasourceStatusPayload, ServiceStatusPayload } from '../../../src/contracts/managerPayloads.ts'
import { eventually } from '../../support/eventually.ts'
import { forgetReplication, hasMariadb, type Mariadb, mariadbLab } from '../../support/mariadb.ts'
import { createMonitor } from '../../support/mariadbPair.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'

const password = 'monitor-secret'
const names = ['db1', 'db2', 'db3'] as const
type Name = (typeof names)[number]

/** As usual, but quick. */
const timing = {
  checkInterval: { usual: 30, retry: 30, away: 150, longest: 150, quickRetries: 3 },
  limit: 2000,
  now: () => performance.now(),
  wait: (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal }),
  random: () => Math.random(),
}

describe.skipIf(!hasMariadb)('the manager of three real MariaDB servers', () => {
  let lab: Awaited<ReturnType<typeof mariadbLab>>
  let servers: Readonly<Record<Name, Mariadb>>

  beforeAll(async () => {
    lab = await mariadbLab()
    const [db1, db2, db3] = await Promise.all([another(), another(), another()])
    servers = { db1, db2, db3 }
  })
  afterAll(() => lab?.end())

  /** Starts a server that passes on what it replicates, with the accounts of managers and replicas. */
  async function another(): Promise<Mariadb> {
    const server = await lab.server({ options: ['--log-slave-updates'] })
    await createMonitor(server, password)
    await server.sql(
      'SET sql_log_bin = 0',
      "CREATE USER repl@'127.0.0.1' IDENTIFIED BY 'repl-secret'",
      "GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'",
    )
    return server
  }

  const setReadOnly = (name: Name, is: boolean) => servers[name].sql(`SET GLOBAL read_only = ${is ? 1 : 0}`)

  /** Lets a server take no writes and follow another one. */
  async function follow(name: Name, source: Mariadb): Promise<void> {
    await forgetReplication(servers[name])
    await servers[name].sql(
      `CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${source.port}, MASTER_USER='repl',
       MASTER_PASSWORD='repl-secret', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1`,
      'SET GLOBAL read_only = 1',
      'START ALL SLAVES',
    )
  }

  /** What people do: the server follows nobody and may be written. */
  async function promote(name: Name): Promise<void> {
    await forgetReplication(servers[name])
    await setReadOnly(name, false)
  }

  // A primary and two replicas without a past.
  beforeEach(async () => {
    for (const name of names) {
      await forgetReplication(servers[name])
      await servers[name].sql('SET GLOBAL read_only = 0', 'RESET MASTER', "SET GLOBAL gtid_slave_pos = ''")
      await servers[name].sql(
        'SET sql_log_bin = 0',
        'CREATE DATABASE IF NOT EXISTS t',
        'CREATE OR REPLACE TABLE t.x (a INT PRIMARY KEY)',
      )
    }
    for (const name of ['db2', 'db3'] as const) await follow(name, servers.db1)
  })

  async function managed(
    more: {
      readonly primary?: Name
      readonly relay?: Name
      readonly folder?: string
      readonly onOutsideChange?: OutsideChange
      readonly timing?: Parameters<typeof openManager>[1]['timing']
    } = {},
  ) {
    const { folder = temporaryFolder(), primary = 'db1', onOutsideChange = 'follow' } = more
    const secretsFile = join(folder, 'secrets.json')
    writeFileSync(secretsFile, JSON.stringify({ 'monitor-password': password }))
    const datasources = names.map((name) => ({
      name,
      host: '127.0.0.1',
      port: servers[name].port,
      role:
        name === primary
          ? ('primary' as const)
          : name === more.relay
            ? ('relay' as const)
            : ('replica' as const),
    }))
    const quiet = (): void => undefined
    const opened = openManager(
      {
        cluster: 'cluster',
        host: 'db1',
        services: { services: [{ name: 'alpha', datasources }] },
        stateFile: join(folder, 'manager.json'),
        member: { service: 'alpha', datasource: 'db1', witness: false },
        monitor: { ...monitorSettings, onOutsideChange },
        secretsFile,
      },
      { log: { info: quiet, warn: quiet, error: quiet }, timing: more.timing ?? timing },
    )
    onTestFinished(() => opened.close())
    const api = await testApi({ served: opened.api.served })
    const headers = { authorization: adminLogin }
    const service = async (): Promise<ServiceStatusPayload> =>
      (await api.call({ url: '/api/v2/manager/status/service/alpha', headers })).json().payload
    return {
      folder,
      close: () => opened.close(),
      service,
      post: async (path: string) => {
        const url = `/api/v2/manager/control/service/alpha/${path}?i-am-sure=true`
        return (await api.call({ method: 'POST', url, headers })).json().payload
      },
      /** Waits until the writer is so. */
      writes: (
        expected: Name | { readonly code: string | null; readonly hold: boolean; readonly reason?: unknown },
      ) =>
        eventually(async () => {
          const { writer } = await service()
          expect(writer).toMatchObject(
            typeof expected === 'string' ? { datasource: expected } : { datasource: null, ...expected },
          )
          return writer
        }),
      /** Waits until a data source is so. */
      becomes: (name: Name, expected: Partial<DatasourceStatusPayload>) =>
        eventually(async () => {
          const { datasources: all } = await service()
          expect(all.find((it) => it.name === name)).toMatchObject(expected)
        }),
    }
  }

  it('finds nothing where all is as the map says', async () => {
    const { writes, becomes, service } = await managed()
    await writes('db1')
    for (const name of names) await becomes(name, { state: 'ONLINE', code: null, reason: null })
    expect((await service()).datasources.map(({ role }) => role)).toEqual(['primary', 'replica', 'replica'])
  })

  it('holds the writes of a primary that became read-only, and resumes them', async () => {
    const { writes, becomes } = await managed()
    await writes('db1')
    await setReadOnly('db1', true)
    await writes({ code: 'read-only-primary', hold: true })
    await becomes('db1', { state: 'FAILED', code: 'read-only-primary', role: 'primary' })
    await setReadOnly('db1', false)
    await writes('db1')
    await becomes('db1', { state: 'ONLINE', code: null })
  })

  it('tells of a replica that may be written, and of what was written there', async () => {
    const { writes, becomes } = await managed()
    await writes('db1')
    await setReadOnly('db2', false)
    await becomes('db2', { state: 'ONLINE', code: 'writable-replica', role: 'replica' })
    await servers.db2.sql('INSERT INTO t.x VALUES (7)')
    const [at] = await servers.db2.sql('SELECT @@gtid_binlog_state AS state')
    const own = String(at?.state)
      .split(',')
      .find((it) => it.startsWith('0-2-'))
    await becomes('db2', {
      state: 'ONLINE',
      code: 'errant-transactions',
      reason: expect.stringContaining(`It has transactions that db1 does not have: ${own}.`),
    })
    await writes('db1')
  })

  it('tells of what the binary log of the primary leaves out, and lets it take writes', async () => {
    const restart = async (...options: readonly string[]): Promise<void> => {
      await servers.db1.kill()
      await servers.db1.start(...options)
    }
    onTestFinished(() => restart())
    await restart('--binlog-ignore-db=shop')
    const { writes, becomes } = await managed()
    await writes('db1')
    await becomes('db1', {
      ...{ state: 'ONLINE', code: 'partial-replica', role: 'primary' },
      reason: expect.stringContaining('so that its replicas lack them: Binlog_Ignore_DB = shop.'),
    })
    await becomes('db2', { state: 'ONLINE', code: null })
  })

  it('fails a replica that follows the wrong server, and one whose source is none of the service', async () => {
    const { writes, becomes } = await managed()
    await writes('db1')
    await promote('db3')
    await setReadOnly('db3', true)
    await follow('db2', servers.db3)
    await becomes('db3', { state: 'FAILED', code: 'not-replicating' })
    await becomes('db2', {
      state: 'FAILED',
      code: 'follows-other',
      reason: expect.stringContaining('follows db3'),
    })
    const other = await another()
    await follow('db2', other)
    await becomes('db2', { state: 'FAILED', code: 'unknown-server' })
    await other.kill()
    await writes('db1')
  })

  it('takes a replica of a replica only where the map names that one a relay', async () => {
    const { writes, becomes, close } = await managed()
    await writes('db1')
    await follow('db3', servers.db2)
    await becomes('db3', { state: 'FAILED', code: 'follows-other' })
    close()
    const relayed = await managed({ relay: 'db2' })
    await relayed.writes('db1')
    await relayed.becomes('db2', { state: 'ONLINE', code: null, role: 'relay' })
    await relayed.becomes('db3', { state: 'ONLINE', code: null, role: 'replica' })
  })

  it('writes to the one that may be written where the map names another one', async () => {
    const { writes, becomes, service } = await managed({ primary: 'db2' })
    await writes('db1')
    await becomes('db2', { state: 'ONLINE', code: 'read-only-primary', role: 'replica' })
    // db3 may not have been looked at yet.
    await becomes('db3', { role: 'replica' })
    expect((await service()).datasources.map(({ role }) => role)).toEqual(['primary', 'replica', 'replica'])
    const held = await managed({ primary: 'db2', onOutsideChange: 'hold' })
    const reason = expect.stringMatching(/^db1 can be written and follows nobody, but /)
    await held.writes({ code: 'no-writer', hold: true, reason })
  })

  it('lets nobody write while two can be written, until one of them is shunned', async () => {
    const { writes, becomes, post } = await managed()
    await writes('db1')
    await promote('db2')
    await writes({ code: 'two-writers', hold: true })
    await becomes('db1', { state: 'ONLINE', code: 'two-writers' })
    await becomes('db2', { state: 'ONLINE', code: 'two-writers', role: 'primary' })
    await post('datasource/db2/shun')
    await writes('db1')
    expect((await post('datasource/db2/welcome')).detail).toContain('as db1 does')
  })

  /** db1 is gone, db2 was promoted by hand and db3 follows it. */
  async function changeByHand(): Promise<void> {
    await servers.db1.kill()
    await promote('db2')
    await follow('db3', servers.db2)
  }

  it('follows a primary that was changed by hand, and keeps the old one out when it returns', async () => {
    const { writes, becomes } = await managed()
    await writes('db1')
    await changeByHand()
    await writes('db2')
    await becomes('db3', { state: 'ONLINE', code: null })
    await servers.db1.start()
    await becomes('db1', { state: 'FAILED', code: 'two-writers', role: 'primary' })
    await writes('db2')
    await follow('db1', servers.db2)
    await becomes('db1', { state: 'ONLINE', role: 'replica' })
    await writes('db2')
  })

  it('does so in a manager that was down meanwhile: the host came back after a power cut', async () => {
    const first = await managed()
    await first.writes('db1')
    first.close()
    await changeByHand()
    await servers.db1.start()
    const again = await managed({ folder: first.folder })
    await again.writes('db2')
    await again.becomes('db1', { state: 'FAILED', by: 'manager', code: 'two-writers' })
    again.close()
    const third = await managed({ folder: first.folder })
    await third.writes('db2')
  })

  it('never names the old primary meanwhile, whichever server answers first', async () => {
    const first = await managed()
    await first.writes('db1')
    first.close()
    await changeByHand()
    await servers.db1.start()
    servers.db2.freeze()
    const again = await managed({ folder: first.folder, timing: { ...timing, limit: 300 } })
    await eventually(async () => {
      const { writer } = await again.service()
      expect(writer).toMatchObject({ datasource: null, hold: true })
      expect(writer.reason).toMatch(/^db1 can be written, but db3 follows db2: /)
    })
    await again.becomes('db2', { state: 'FAILED' })
    servers.db2.thaw()
    await again.writes('db2')
    await again.becomes('db1', { state: 'FAILED', code: 'two-writers' })
  })

  it('fences a server that hangs, at its usual pace', async () => {
    const usual = await import('../../../src/components/manager/monitor.ts')
    const { writes, becomes } = await managed({
      timing: { ...timing, checkInterval: usual.defaultCheckInterval, limit: 1000 },
    })
    await writes('db1')
    servers.db3.freeze()
    // In 5 s at most, as monitor.test.ts adds up.
    await becomes('db3', { state: 'FAILED' })
    servers.db3.thaw()
    await becomes('db3', { state: 'ONLINE' })
  })
})
