import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { connector } from '../../../src/components/connector/connector.ts'
import { connectorRoutes } from '../../../src/contracts/connectorRoutes.ts'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { hangingServer } from '../../support/hangingServer.ts'
import { serveTcp } from '../../support/loopbackServer.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'
import { type Answer, connectorSettings, dataSource, testConnector } from '../../support/testConnector.ts'
import { settingsIn } from '../../support/testServer.ts'

const map = 'configuration/module/servicesmap'
const envelope = (payload: object, payloadType = 'ServicesMapPayload') => ({ payloadType, payload })

const kept = ({ stateFile = '' }: ServerSettings) => JSON.parse(readFileSync(stateFile, 'utf8'))

const code = ([status, payload]: Answer): unknown => [status, payload.code]

describe('a connector without a database', () => {
  it('says so in its status and refuses every other call, is ready, and listens nowhere', async () => {
    const { call } = await testApi({ served: connector.served, context: { component: 'connector' } })
    const headers = { authorization: adminLogin }
    const bodies: Readonly<Record<string, object>> = {
      connectorChangeServicesMap: envelope({ services: [] }),
      connectorAddDataService: envelope({ name: 'a' }, 'DataServicePayload'),
      connectorAddDataSource: envelope(
        { service: 'a', ...dataSource({ name: 'b', port: 1 }) },
        'DataSourcePayload',
      ),
    }
    for (const { name, method, path } of Object.values(connectorRoutes)) {
      const payload = bodies[name] ? { payload: bodies[name] } : {}
      const query = method === 'POST' ? '?i-am-sure=true' : ''
      const answer = await call({ method, url: `${path}${query}`, headers, ...payload })
      const { code, detail, value, reason } = answer.json().payload
      const words =
        'no database configured: the connector opens no port for clients and serves users and status only'
      const told = [name, answer.statusCode, code ?? value, (detail ?? reason).split('. ')[0]]
      const expected = name === 'connectorStatus' ? [200, 'OFFLINE'] : [409, 'no-database']
      expect(told).toEqual([name, ...expected, words])
    }
    expect((await call({ url: '/health/ready' })).statusCode).toBe(200)
    const opened = await testConnector(settingsIn(temporaryFolder(), { component: 'connector' }))
    expect(opened.opened.ports()).toEqual([])
  })
})

describe('online, onhold and offline', () => {
  it('change nothing without the guard, change with it, and nothing the second time', async () => {
    const db1 = await standIn('db1')
    const settings = connectorSettings([dataSource(db1)])
    const { get, post, auditEntries, client } = await testConnector(settings)
    expect(await get('status')).toMatchObject([200, { value: 'ONLINE', by: 'installation', reason: null }])
    for (const [path, value, before] of [
      ['onhold', 'ONHOLD', 'ONLINE'],
      ['offline', 'OFFLINE', 'ONHOLD'],
      ['online', 'ONLINE', 'OFFLINE'],
    ] as const) {
      for (const query of ['', 'i-am-sure=yes', ...(path === 'offline' ? ['immediate=true'] : [])]) {
        expect(code(await post(path, undefined, query))).toEqual([400, 'not-confirmed'])
      }
      expect((await get('status'))[1].value).toBe(before)
      expect(kept(settings).mode.value).toBe(before)
      const first = await post(path)
      expect(first).toMatchObject([200, { value, by: 'admin', changed: true }])
      expect(kept(settings).mode).toEqual({ value, by: 'admin', since: first[1].since })
      const second = await post(path)
      expect(second).toEqual([200, { ...first[1], changed: false }])
      const entries = auditEntries().slice(-2)
      expect(entries).toMatchObject([
        { before, after: value, changed: true, status: 200 },
        { before: value, after: value, changed: false, status: 200 },
      ])
    }
    await (await client()).sees('db1 greets')
  })

  it('only try it with dry=yes', async () => {
    const db1 = await standIn('db1')
    const settings = connectorSettings([dataSource(db1)])
    const { get, post, auditEntries, client } = await testConnector(settings)
    const running = await client()
    await running.sees('db1 greets')
    const dry = 'i-am-sure=true&dry=yes'
    for (const [path, query, changed] of [
      ['onhold', dry, true],
      ['online', dry, false],
      ['offline', `${dry}&immediate=true`, true],
    ] as const) {
      expect(await post(path, undefined, query)).toMatchObject([200, { value: 'ONLINE', active: 1, changed }])
      expect(auditEntries().at(-1)).toMatchObject({ parameters: { dry: 'yes' }, changed: false })
    }
    expect((await get('status'))[1]).toMatchObject({ value: 'ONLINE', by: 'installation' })
    await post('offline')
    expect(await post('offline', undefined, `${dry}&immediate=true`)).toMatchObject([
      200,
      { active: 1, changed: true },
    ])
  })

  it('let one of two callers at once change it, and tell the other that it was so already', async () => {
    const { post, get } = await testConnector(connectorSettings([dataSource({ name: 'db1', port: 1 })]))
    for (const path of ['onhold', 'offline', 'online']) {
      const answers = await Promise.all([post(path), post(path), post(path)])
      expect(answers.map(([status]) => status)).toEqual([200, 200, 200])
      expect(answers.filter(([, { changed }]) => changed)).toHaveLength(1)
    }
    const mixed = await Promise.all([post('offline'), post('onhold'), post('online'), post('offline')])
    expect(mixed.map(([status]) => status)).toEqual([200, 200, 200, 200])
    expect((await get('status'))[1].value).toBe('OFFLINE')
  })

  it('hold, release, drain and cut what the status then shows', async () => {
    const db1 = await standIn('db1')
    const { post, client, until, get, refusal, auditEntries } = await testConnector(
      connectorSettings([dataSource(db1)]),
    )
    const running = await client()
    await running.sees('db1 greets')
    const before = Date.now()
    await post('onhold')
    const held = await client()
    await until({ active: 1, held: 1, created: 1 })
    const [, onhold] = await get('status')
    expect(Date.parse(String(onhold.expiresAt))).toBeGreaterThan(before)
    expect(onhold.datasources).toEqual([{ service: 'alpha', name: 'db1', active: 1, created: 1 }])
    await post('online')
    await held.sees('db1 greets')
    await until({ active: 2, held: 0, created: 2, expiresAt: null })
    const [, drained] = await post('offline')
    expect(drained).toMatchObject({ changed: true, active: 2 })
    expect(drained.reason).toMatch(
      /^connections that are still open are cut at \d{4}-.*Z unless they end before$/,
    )
    expect((await refusal()).message).toBe(
      `The connector is OFFLINE since ${drained.since} and takes no connections.`,
    )
    const sure = 'i-am-sure=true'
    expect(await post('offline', undefined, `${sure}&immediate=false`)).toMatchObject([
      200,
      { changed: false },
    ])
    const cut = await post('offline', undefined, `${sure}&immediate=true`)
    expect(cut).toMatchObject([200, { changed: true, active: 0, reason: null }])
    expect(auditEntries().at(-1)).toMatchObject({ parameters: { immediate: true }, changed: true })
    await Promise.all([running.ended, held.ended])
    expect(await post('offline', undefined, `${sure}&immediate=true`)).toMatchObject([
      200,
      { changed: false },
    ])
  })

  it('change nothing that cannot be kept', async () => {
    const settings = connectorSettings([dataSource({ name: 'db1', port: 1 })])
    const { post, get } = await testConnector(settings)
    // A folder where the new state is written first.
    mkdirSync(`${settings.stateFile}.new/x`, { recursive: true })
    const refused = await post('offline')
    expect(code(refused)).toEqual([503, 'not-ready'])
    expect(refused[1].detail).toMatch(/^The state .* cannot be written: .*\. Nothing was changed\.$/)
    expect((await get('status'))[1].value).toBe('ONLINE')
    rmSync(`${settings.stateFile}.new`, { recursive: true })
    expect(await post('offline')).toMatchObject([200, { changed: true }])
  })
})

describe('the services map of a connector without a manager', () => {
  const installed = [dataSource({ name: 'db1', port: 1 })]
  const db2 = dataSource({ name: 'db2', port: 2 }, 'replica')
  const unknown = (sources: readonly object[]) => sources.map((it) => ({ ...it, state: 'UNKNOWN' }))
  const alpha = (...sources: readonly object[]) => ({ services: [{ name: 'alpha', datasources: sources }] })

  const changes = [
    {
      path: map,
      body: envelope(alpha(...installed, db2)),
      answer: alpha(...unknown([...installed, db2])),
      after: alpha(...installed, db2),
    },
    {
      path: 'addDataService',
      body: envelope({ name: 'beta', datasources: [db2] }, 'DataServicePayload'),
      answer: { name: 'beta', datasources: unknown([db2]) },
      after: { services: [...alpha(...installed).services, { name: 'beta', datasources: [db2] }] },
    },
    {
      path: 'addDataSource',
      body: envelope({ service: 'alpha', ...db2 }, 'DataSourcePayload'),
      answer: { service: 'alpha', ...db2, state: 'UNKNOWN' },
      after: alpha(...installed, db2),
    },
  ]

  it.each(changes)(
    'is changed by $path with the guard, once, and kept',
    async ({ path, body, answer, after }) => {
      const settings = connectorSettings(installed)
      const { post, get, auditEntries } = await testConnector(settings)
      expect(await get(map)).toEqual([200, alpha(...unknown(installed))])
      expect(code(await post(path, body, ''))).toEqual([400, 'not-confirmed'])
      expect(await get(map)).toEqual([200, alpha(...unknown(installed))])
      expect(kept(settings).services).toBeNull()

      for (const only of ['dry=yes', 'peers=check']) {
        expect(await post(path, body, `i-am-sure=true&${only}`)).toMatchObject([200, { changed: true }])
        expect(kept(settings).services).toBeNull()
        expect(await get(map)).toEqual([200, alpha(...unknown(installed))])
      }

      const both = await Promise.all([post(path, body), post(path, body)])
      expect(both.map(([status]) => status)).toEqual([200, 200])
      expect(both.map(([, { changed }]) => changed)).toEqual([true, false])
      expect(both[0]).toEqual([200, { ...answer, changed: true }])
      expect(kept(settings).services).toEqual(after)
      expect(auditEntries().slice(-2)).toMatchObject([{ changed: true }, { changed: false }])

      expect(code(await post('reset', undefined, ''))).toEqual([400, 'not-confirmed'])
      expect(await post('reset', undefined, 'i-am-sure=true&dry=yes')).toMatchObject([200, { changed: true }])
      expect(kept(settings).services).toEqual(after)
      expect(await post('reset')).toEqual([200, { ...alpha(...unknown(installed)), changed: true }])
      expect(await post('reset')).toEqual([200, { ...alpha(...unknown(installed)), changed: false }])
      expect(kept(settings).services).toBeNull()
    },
  )

  it('refuses what contradicts itself or is there already, and changes nothing', async () => {
    const settings = connectorSettings(installed)
    const { post } = await testConnector(settings)
    const source = (more: object) => envelope({ service: 'alpha', ...db2, ...more }, 'DataSourcePayload')
    expect(code(await post('addDataSource', source({ role: 'primary' })))).toEqual([409, 'invalid-map'])
    expect(code(await post('addDataSource', source({ name: 'db1' })))).toEqual([409, 'already-exists'])
    expect(code(await post('addDataSource', source({ service: 'x' })))).toEqual([409, 'unknown-service'])
    const service = envelope({ name: 'alpha' }, 'DataServicePayload')
    expect(code(await post('addDataService', service))).toEqual([409, 'already-exists'])
    expect(code(await post(map, envelope(alpha(db2, db2))))).toEqual([409, 'invalid-map'])
    const [status, refused] = await post(map, envelope(alpha(...installed, { ...db2, state: 'SHUNNED' })))
    expect([status, refused.code, refused.errors]).toEqual([
      400,
      'invalid-body',
      [
        {
          path: '/payload/services/0/datasources/1/state',
          message: 'is not a known member',
        },
      ],
    ])
    expect(kept(settings).services).toBeNull()
  })

  it('routes by what was changed, also after a restart', async () => {
    const [db1, other] = [await standIn('db1'), await standIn('other')]
    const settings = connectorSettings([dataSource(db1)])
    const first = await testConnector(settings)
    await (await first.client()).sees('db1 greets')
    await first.post(map, envelope(alpha(dataSource({ name: 'db1', port: other.port }))))
    await (await first.client()).sees('other greets')
    await first.post('onhold')
    first.opened.close()
    const second = await testConnector(settings)
    expect((await second.get('status'))[1]).toMatchObject({ value: 'ONHOLD', by: 'admin' })
    const client = await second.client()
    await second.until({ held: 1 })
    await second.post('online')
    await client.sees('other greets')
  })
})

describe('a connector that starts', () => {
  it('says that a port is taken', async () => {
    const taken = await serveTcp(() => undefined)
    const settings = connectorSettings([dataSource({ name: 'db1', port: 1 })])
    const { proxy } = settings
    if (!proxy) throw new Error('no proxy')
    const start = testConnector({ ...settings, proxy: { ...proxy, readonlyPort: taken.port } })
    await expect(start).rejects.toThrow(
      `cannot listen on 127.0.0.1:${taken.port}: another program uses this port; stop it or choose another port`,
    )
    await expect(start).rejects.toMatchObject({ name: 'StartError' })
    await taken.close()
  })

  it.each([
    ['{', 'it is not JSON'],
    ['{"version":1}', 'it is not what this version of a connector writes'],
  ])('says that its state %s cannot be used', async (text, why) => {
    const settings = connectorSettings([dataSource({ name: 'db1', port: 1 })])
    writeFileSync(settings.stateFile ?? '', text)
    const start = testConnector(settings)
    await expect(start).rejects.toThrow(`cannot use the state ${settings.stateFile}: ${why}`)
    await expect(start).rejects.toMatchObject({ name: 'StartError' })
  })

  it('leads readers to the primary unless application-readonly-fallback is false', async () => {
    const db1 = await standIn('db1')
    const settings = connectorSettings([dataSource(db1)])
    const { proxy } = settings
    if (!proxy) throw new Error('no proxy')
    const strict = { ...settings, proxy: { ...proxy, readonlyPort: 0, readonlyFallback: false } }
    expect((await (await testConnector(strict)).refusal('replica')).message).toContain(
      'the service alpha has no replica',
    )
    const lenient = await testConnector({ ...settings, proxy: { ...proxy, readonlyPort: 0 } })
    await (await lenient.client('replica')).sees('db1 greets')
  })

  it('holds writers of a map with two primaries, says so, and is not ready', async () => {
    const db1 = await standIn('db1')
    const settings = connectorSettings([dataSource(db1), dataSource({ name: 'db2', port: 1 })])
    const { client, until, get, call, post } = await testConnector(settings)
    const before = Date.now()
    const waiting = await client()
    await until({ held: 1 })
    const why =
      'the services map has more than one primary of service alpha: db1, db2 (1 client waits for it)'
    const [, status] = await get('status')
    expect([status.reason, Date.parse(String(status.expiresAt)) > before]).toEqual([why, true])
    const ready = await call({ url: '/health/ready', headers: { authorization: adminLogin } })
    expect([ready.statusCode, ready.body]).toEqual([503, expect.stringContaining(why)])
    await post(map, envelope({ services: [{ name: 'alpha', datasources: [dataSource(db1)] }] }))
    await waiting.sees('db1 greets')
    await until({ held: 0, reason: null, expiresAt: null })
  })

  it('lets clients wait after connector-greeting-timeout, reports a database that hangs, and is not ready', async () => {
    const db1 = await hangingServer('db1')
    const settings = connectorSettings([dataSource(db1)])
    const { proxy } = settings
    if (!proxy) throw new Error('no proxy')
    const { refusal, get, call } = await testConnector({
      ...settings,
      proxy: { ...proxy, greetingTimeout: 50, maxHold: 500 },
    })
    const why = 'db1 accepted a connection but did not greet within 0.05 s'
    expect((await refusal()).message).toBe(`The connector reaches no database of service alpha: ${why}.`)
    expect((await get('status'))[1].reason).toBe(why)
    const headers = { authorization: adminLogin }
    const ready = await call({ url: '/health/ready', headers })
    expect([ready.statusCode, ready.body]).toEqual([503, expect.stringContaining(why)])
    const metrics = await call({ url: '/metrics', headers })
    expect(metrics.body).toContain('muster_connector_unresponsive{service="alpha",datasource="db1"} 1')
    db1.greet(0)
    await eventually(async () => {
      const { statusCode } = await call({ url: '/health/ready', headers })
      expect(statusCode).toBe(200)
    })
  })

  it('tells of no replicas where it has no port for them', async () => {
    const db1 = await standIn('db1')
    const settings = connectorSettings([dataSource(db1)])
    const { proxy } = settings
    if (!proxy) throw new Error('no proxy')
    const unserved = await testConnector({ ...settings, proxy: { ...proxy, readonlyPort: 0 } })
    expect((await unserved.get('status'))[1].reason).toBe(
      'the service alpha has no replica, so the read-only port leads to db1',
    )
    await (await unserved.client('replica')).sees('db1 greets')
    unserved.opened.close()
    const without = await testConnector(settings)
    expect((await without.get('status'))[1].reason).toBeNull()
    expect(without.opened.ports()).toHaveLength(1)
  })
})

describe('readiness and measurements', () => {
  it('are not ready when OFFLINE or without a primary, and say why to who has a login', async () => {
    const db1 = await standIn('db1')
    const { post, call, opened } = await testConnector(connectorSettings([dataSource(db1)]))
    const headers = { authorization: adminLogin }
    const ready = async () => {
      const [open, told] = [
        await call({ url: '/health/ready' }),
        await call({ url: '/health/ready', headers }),
      ]
      expect(open.statusCode).toBe(told.statusCode)
      return [open.statusCode, open.body, told.body]
    }
    expect(await ready()).toEqual([200, 'ready\n', 'ready\n'])
    await post('onhold')
    expect((await ready())[0]).toBe(200)
    const [, { since }] = await post('offline')
    expect(await ready()).toEqual([503, 'unready\n', `unready\nthe connector is OFFLINE since ${since}\n`])
    await post('online')
    await post(map, envelope({ services: [] }))
    const none = 'the services map has no service alpha'
    expect(await ready()).toEqual([503, 'unready\n', `unready\n${none}\n`])
    await post('reset')
    opened.close()
    expect(await ready()).toEqual([503, 'unready\n', 'unready\nthe connector does not listen for clients\n'])
  })

  it('count connections by data source, those held, and those turned away by reason', async () => {
    const [db1, db2] = [await standIn('db1'), await standIn('db2')]
    const { post, call, client, until, refusal } = await testConnector(
      connectorSettings([dataSource(db1), dataSource(db2, 'replica')]),
    )
    const clients = [await client(), await client('replica'), await client('replica')]
    await Promise.all(clients.map((it) => it.sees('greets')))
    clients[2]?.socket.end()
    await until({ active: 2 })
    await post('onhold')
    await client()
    await until({ held: 1 })
    const lines = async () => {
      const { body } = await call({ url: '/metrics', headers: { authorization: adminLogin } })
      return body.split('\n').filter((line) => /^muster_connector_/.test(line) && !line.endsWith(' 0'))
    }
    const source = (name: string) => `{service="alpha",datasource="${name}"}`
    expect(await lines()).toEqual([
      'muster_connector_state{state="ONHOLD"} 1',
      `muster_connector_connections_active${source('db1')} 1`,
      `muster_connector_connections_active${source('db2')} 1`,
      `muster_connector_connections_created_total${source('db1')} 1`,
      `muster_connector_connections_created_total${source('db2')} 2`,
      'muster_connector_connections_held 1',
      'muster_connector_map_current 1',
    ])
    await post('offline')
    await refusal()
    expect(await lines()).toContain('muster_connector_connections_refused_total{reason="offline"} 2')
  })
})
