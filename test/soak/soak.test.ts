import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { createAccount, forgetReplication, hasMariadb, makeReplica } from '../support/mariadb.ts'
import { createMonitor, mariadbPair } from '../support/mariadbPair.ts'
import { monitorSettings } from '../support/monitorSettings.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { connectorSettings, dataSource } from '../support/testConnector.ts'
import { settingsIn } from '../support/testServer.ts'
import { callApi, check, login, repeat, session } from './load.ts'
import { type Program, startProgram } from './program.ts'
import { type Sample, slopeOf } from './slope.ts'

const minutes = Number(process.env.MUSTER_SOAK_MINUTES ?? 10)
/** Caches, compiled code and buffers come to their size in the first half, of ten minutes the first five. */
const warmUp = Math.min(5, minutes / 2)
/** Seconds. */
const interval = 2
/** Bytes an hour; of a run of less than ten minutes, bytes in its second half. */
const most = 1024 * 1024

const tell = (...lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)
const kilobytes = (bytes: number): string => `${Math.round(bytes / 1024)} KB`

it.skipIf(!hasMariadb)(
  'the memory of the three components does not grow under a steady load',
  async () => {
    const pair = await mariadbPair(async (server) => {
      await createAccount(server, 'replication-secret')
      await createMonitor(server, 'monitor-secret')
      await server.sql(
        'SET sql_log_bin = 0',
        "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app-secret'",
        'CREATE DATABASE t',
        'CREATE TABLE t.x (a INT PRIMARY KEY AUTO_INCREMENT, b TEXT)',
        "GRANT ALL ON t.* TO app@'127.0.0.1'",
      )
    })
    const { primary, replica } = pair
    onTestFinished(() => pair.end())
    await forgetReplication(replica)
    await makeReplica({ primary, replica })
    await replica.sql('START ALL SLAVES')

    const folder = temporaryFolder()
    const secretsFile = join(folder, 'secrets.json')
    writeFileSync(
      secretsFile,
      JSON.stringify({ 'monitor-password': 'monitor-secret', 'replication-password': 'replication-secret' }),
    )
    const sources = [
      dataSource({ name: 'db1', port: primary.port }),
      dataSource({ name: 'db2', port: replica.port }, 'replica'),
    ]
    const connectorSet = connectorSettings(sources, { folder, auditFile: join(folder, 'connector.jsonl') })
    const common: Partial<ServerSettings> = { listen: null, secretsFile }
    const managerSet = settingsIn(folder, {
      ...common,
      component: 'manager',
      auditFile: join(folder, 'manager.jsonl'),
      services: { services: [{ name: 'alpha', datasources: sources }] },
      stateFile: join(folder, 'manager.state.json'),
      member: { service: 'alpha', datasource: 'db1', witness: false },
      monitor: monitorSettings,
      connectorSocket: connectorSet.socket,
    })
    const replicatorSet = settingsIn(folder, {
      ...common,
      component: 'replicator',
      auditFile: join(folder, 'replicator.jsonl'),
      database: { type: 'mariadb', host: '127.0.0.1', port: replica.port, user: 'muster', service: 'alpha' },
    })
    const manager = await startProgram(managerSet)
    const connector = await startProgram({ ...connectorSet, managerSocket: managerSet.socket })
    const replicator = await startProgram(replicatorSet)
    const programs: readonly Program[] = [manager, connector, replicator]

    // The replica is stopped now and again, which is no reason to fence it here.
    const policy = '/api/v2/manager/control/service/alpha/policy'
    await callApi(managerSet, `${policy}/maintenance?i-am-sure=true`, 'POST')
    const stop = new AbortController()
    const { signal } = stop
    const api = '/api/v2'
    const lasting = await Promise.all(Array.from({ length: 5 }, () => login(connector.port)))
    const loads: Readonly<Record<string, Promise<number>>> = {
      'questions to the manager': repeat(20, signal, () =>
        callApi(managerSet, `${api}/manager/status/service/alpha`),
      ),
      'checks by the manager': repeat(5, signal, () =>
        callApi(managerSet, `${api}/manager/service/alpha/datasource/db2/ping`),
      ),
      'changes of the manager': repeat(1, signal, async () => {
        await callApi(managerSet, `${policy}/manual?i-am-sure=true`, 'POST')
        await callApi(managerSet, `${policy}/maintenance?i-am-sure=true`, 'POST')
      }),
      'questions to the replicator': repeat(50, signal, () =>
        callApi(replicatorSet, `${api}/replicator/status`),
      ),
      'changes of the replicator': repeat(0.5, signal, async () => {
        await callApi(replicatorSet, `${api}/replicator/offline?i-am-sure=true`, 'POST')
        await callApi(replicatorSet, `${api}/replicator/online?i-am-sure=true`, 'POST')
      }),
      measurements: repeat(2, signal, async () => {
        for (const settings of [managerSet, connectorSet, replicatorSet]) await callApi(settings, '/metrics')
      }),
      'questions to the connector': repeat(10, signal, () =>
        callApi(connectorSet, `${api}/connector/status`),
      ),
      'sessions through the connector': repeat(20, signal, () => session(connector.port)),
      'checks of the connector by load balancers': repeat(20, signal, () => check(connector.port)),
      'statements through the connector': repeat(100, signal, () =>
        Promise.all(lasting.map((it) => it.query("INSERT INTO t.x (b) VALUES (REPEAT('x', 200))"))),
      ),
    }
    // A load that ends before its time fails the test at once.
    const failed = Promise.all(Object.values(loads)).then(() => undefined)

    const samples = new Map<Program, Sample[]>(programs.map((it) => [it, []]))
    const begin = performance.now()
    const seconds = (): number => (performance.now() - begin) / 1000
    async function measure(): Promise<void> {
      while (seconds() < minutes * 60) {
        await wait(interval * 1000)
        for (const [program, taken] of samples) taken.push({ at: seconds(), bytes: await program.heap() })
      }
    }
    try {
      await Promise.race([measure(), failed])
    } finally {
      stop.abort()
    }
    const done = await Promise.all(
      Object.entries(loads).map(async ([name, count]) => `${name}: ${await count}`),
    )
    tell(...done)
    for (const it of lasting) it.destroy()

    const growths = [...samples].map(([{ settings }, taken]) => {
      const counted = taken.filter(({ at }) => at >= warmUp * 60)
      const { slope, low, high } = slopeOf(counted)
      const [first = 0, last = 0] = [counted[0]?.bytes, counted.at(-1)?.bytes]
      tell(
        `${settings.component}: ${kilobytes(first)} to ${kilobytes(last)} in ${counted.length} samples, ` +
          `${kilobytes(slope)} an hour (95 %: ${kilobytes(low)} to ${kilobytes(high)})`,
      )
      return { component: settings.component, slope, grown: last - first }
    })
    // What a shorter run shows is mostly how programs come to their size.
    const judged = growths.filter(({ slope, grown }) => (minutes < 10 ? grown : slope) > most)
    expect(judged).toEqual([])
  },
  (minutes + 3) * 60_000,
)
