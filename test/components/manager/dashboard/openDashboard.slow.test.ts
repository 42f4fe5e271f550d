import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../support/eventually.ts'
import { hasMariadb } from '../../../support/mariadb.ts'
import { createMonitor, makeAgree, mariadbPair } from '../../../support/mariadbPair.ts'
import { monitorSettings } from '../../../support/monitorSettings.ts'
import { temporaryFolder } from '../../../support/temporaryFolder.ts'
import { eventsIn } from '../../../support/testDashboard.ts'
import { shownHost, startManager } from './dashboardManager.ts'

const password = 'monitor-secret'

const timing = {
  checkInterval: { usual: 30, retry: 30, away: 150, longest: 150, quickRetries: 3 },
  // A server that is killed refuses at once; one that a busy machine delays is not dead.
  limit: 20_000,
  now: () => performance.now(),
  wait: (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal }),
  random: () => Math.random(),
}

type Source = { readonly name: string; readonly state: string; readonly since: string }

describe.skipIf(!hasMariadb)('the dashboard of a manager of real MariaDB servers', () => {
  it('shows a dead database within a second of the verdict of its manager', async () => {
    const pair = await mariadbPair((server) => createMonitor(server, password))
    onTestFinished(() => pair.end())
    await makeAgree(pair)
    await pair.replica.sql('SET GLOBAL read_only = 1', 'START ALL SLAVES')
    const secretsFile = join(temporaryFolder(), 'secrets.json')
    writeFileSync(secretsFile, JSON.stringify({ 'monitor-password': password }))
    const place = (name: string, port: number, role: 'primary' | 'replica') => ({
      ...{ name, host: '127.0.0.1', port, role },
    })
    const datasources = [
      place('db1', pair.primary.port, 'primary'),
      place('db2', pair.replica.port, 'replica'),
    ]
    const db1 = await startManager('db1', {
      dashboard: [shownHost('db1', null)],
      settings: {
        ...{ monitor: monitorSettings, secretsFile },
        services: { services: [{ name: 'alpha', datasources }] },
      },
      timing,
    })
    const stream = await db1.openEvents(await db1.logIn('eve'))
    const came = new Map<string, { readonly source: Source; readonly at: number }>()
    stream.response.on('data', () => {
      for (const { data } of eventsIn(stream.text)) {
        if (data.kind !== 'datasource') continue
        const source = data.datasource as Source
        const key = `${source.name} ${source.state}`
        if (!came.has(key)) came.set(key, { source, at: Date.now() })
      }
    })
    await eventually(() => expect(stream.text).toMatch(/"name":"db1"[^}]*"state":"ONLINE"/))
    // Manager and viewer are this process: what it stands still it cannot be quicker than.
    const turns = monitorEventLoopDelay({ resolution: 10 })
    turns.enable()
    await pair.replica.kill()
    const { source, at } = await eventually(() => {
      const failed = came.get('db2 FAILED')
      expect(failed).toBeDefined()
      return failed ?? { source: { name: '', state: '', since: '' }, at: Number.POSITIVE_INFINITY }
    })
    turns.disable()
    const behind = at - Date.parse(source.since)
    expect(behind).toBeLessThan(1000 + turns.max / 1e6)
    await eventually(() =>
      expect(eventsIn(stream.text).findLast(({ data }) => data.kind === 'verdict')?.data).toMatchObject({
        verdict: { level: 'degraded' },
      }),
    )
  })
})
