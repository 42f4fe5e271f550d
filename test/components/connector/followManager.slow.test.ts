import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { followManager, type OpenStream } from '../../../src/components/connector/followManager.ts'
import { readRouting } from '../../../src/components/readRouting.ts'
import { envelope } from '../../../src/contracts/envelope.ts'
import type { Routing } from '../../../src/contracts/routing.ts'
import { refusalIn, standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { servePlain } from '../../support/loopbackServer.ts'
import { manualClock } from '../../support/manualClock.ts'
import { routed, routingOf, standInManager } from '../../support/standInManager.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin } from '../../support/testApi.ts'
import { connectorSettings, dataSource, testConnector } from '../../support/testConnector.ts'
import { settingsIn } from '../../support/testServer.ts'

async function scene() {
  const folder = temporaryFolder()
  const [db1, db2] = [await standIn('db1'), await standIn('db2')]
  const manager = standInManager(settingsIn(folder, { listen: null }))
  const [first, second] = [dataSource(db1), dataSource(db2, 'replica')]
  const settings = connectorSettings([first, second], { folder, managerSocket: manager.settings.socket })
  return { manager, settings, db1, db2, first, second }
}

describe('a connector that follows the manager of its host', () => {
  it('asks it before it takes a client, and routes by what it says from then on', async () => {
    const { manager, settings, db1, db2, first, second } = await scene()
    // Another primary than the one that was installed.
    manager.say(routingOf([routed(dataSource(db1, 'replica')), routed(dataSource(db2))]))
    await manager.start()
    const { client, get, refusal, until } = await testConnector(settings)
    await (await client()).sees('db2 greets')
    expect((await get('status'))[1].reason).toBeNull()
    manager.say(routingOf([routed(first, 'SHUNNED'), routed(second)]))
    await until({ reason: 'no primary of service alpha is ONLINE: db1 is SHUNNED' })
    expect((await refusal()).message).toContain('no primary of service alpha is ONLINE: db1 is SHUNNED')
  })

  it('cuts connections to what the manager calls FAILED', async () => {
    const { manager, settings, first, second } = await scene()
    manager.say(routingOf([routed(first), routed(second)]))
    await manager.start()
    const { client, until } = await testConnector(settings)
    const running = await client()
    await running.sees('db1 greets')
    manager.say(routingOf([routed(first, 'FAILED'), routed(second)]))
    await running.ended
    await until({ active: 0 })
  })

  it('goes on with the last word when it is lost, says so, and takes up the new one when it is back', async () => {
    const { manager, settings, first, second, db1, db2 } = await scene()
    manager.say(routingOf([routed(first), routed(second, 'SHUNNED')]))
    await manager.start()
    const { client, get, told, call } = await testConnector(settings)
    const running = await client()
    await running.sees('db1 greets')
    const warnings = () => told.filter(({ level }) => level === 40).map(({ msg }) => msg)
    const current = async () => {
      const { body } = await call({ url: '/metrics', headers: { authorization: adminLogin } })
      return /^muster_connector_map_current (\d)$/m.exec(body)?.[1]
    }
    expect(await current()).toBe('1')

    await manager.stop()
    await eventually(async () => expect(await current()).toBe('0'))
    await (await client()).sees('db1 greets')
    running.socket.write('still here')
    await running.sees('STILL HERE')
    await (await client('replica')).sees('db1 greets')
    const [, status] = await get('status')
    expect(status.reason).toContain('db2 is SHUNNED, so the read-only port leads to db1')
    expect(status.reason).toMatch(
      /no manager answers since \d{4}-\S+Z, so their last word stays in effect until \d{4}-\S+Z \(/,
    )
    const ready = await call({ url: '/health/ready', headers: { authorization: adminLogin } })
    expect([ready.statusCode, ready.body]).toEqual([200, expect.stringContaining('no manager answers since')])
    expect(warnings()).toEqual([
      'a manager does not answer',
      'no manager answers: its last word stays in effect',
    ])

    manager.say(routingOf([routed(dataSource(db1, 'replica')), routed(dataSource(db2))]))
    await manager.start()
    await eventually(async () => expect(await current()).toBe('1'))
    await (await client()).sees('db2 greets')
    expect((await get('status'))[1].reason).toBeNull()
    expect(told.map(({ msg }) => msg)).toContain('the manager answers again')
    expect(warnings()).toHaveLength(2)
  })

  const waitsForManager = (more = ''): RegExp =>
    new RegExp(`^no manager has answered since the connector started${more}; no manager answers since `)

  it('starts without it for readers, by what was installed, while writers wait for its word', async () => {
    const { manager, settings, db1, db2 } = await scene()
    const { client, get, until, call } = await testConnector(settings)
    await (await client('replica')).sees('db2 greets')
    expect((await get('status'))[1].reason).toMatch(waitsForManager())
    const writing = await client()
    await until({ held: 1 })
    expect((await get('status'))[1].reason).toMatch(waitsForManager(' \\(1 client waits for it\\)'))
    const ready = await call({ url: '/health/ready', headers: { authorization: adminLogin } })
    expect([ready.statusCode, ready.body]).toEqual([
      503,
      expect.stringContaining('no manager has answered since the connector started'),
    ])
    manager.say(routingOf([routed(dataSource(db1, 'replica')), routed(dataSource(db2))]))
    await manager.start()
    await writing.sees('db2 greets')
    await until({ reason: null })
  })

  it('never writes, when it comes back, by what it knew before: the primary may be another one now', async () => {
    const { manager, settings, db1, db2, first, second } = await scene()
    manager.say(routingOf([routed(first), routed(second)]))
    await manager.start()
    const before = await testConnector(settings)
    await (await before.client()).sees('db1 greets')
    before.opened.close()
    await manager.stop()
    const connections = db1.sockets.length

    const { client, until, get, opened } = await testConnector(settings)
    const writing = await client()
    await until({ held: 1 })
    // Readers go by the last word.
    await (await client('replica')).sees('db2 greets')
    expect((await get('status'))[1].datasources).toMatchObject([{ name: 'db1' }, { name: 'db2' }])
    opened.close()
    expect((await writing.ended).toString()).not.toContain('greets')

    manager.say(routingOf([routed(dataSource(db1, 'replica')), routed(dataSource(db2))]))
    await manager.start()
    const after = await testConnector(settings)
    await (await after.client()).sees('db2 greets')
    expect(db1.sockets).toHaveLength(connections)
  })

  it('tells writers who wait for its first word too long why, and refuses all after a time', async () => {
    const { settings } = await scene()
    const { proxy } = settings
    if (!proxy) throw new Error('no proxy')
    const hasty = await testConnector({ ...settings, proxy: { ...proxy, maxHold: 100 } })
    expect((await hasty.refusal()).message).toBe(
      'No database takes writes, and this connection waited 0.1 s, which is the longest that connector-max-hold ' +
        'allows: no manager has answered since the connector started.',
    )
    hasty.opened.close()

    const { client, refusal } = await testConnector({ ...settings, proxy: { ...proxy, managerTimeout: 300 } })
    const waiting = await client()
    expect(refusalIn(await waiting.ended).message).toMatch(
      /^The connector takes no new connections: no manager/,
    )
    for (const role of ['primary', 'replica'] as const)
      expect((await refusal(role)).message).toContain('0.3 s that connector-manager-timeout allows')
  })

  it('starts with a last word that another release kept, and passes that over', async () => {
    const { settings } = await scene()
    const lastKnown = {
      services: [
        { name: 'alpha', datasources: [{ ...dataSource({ name: 'x', port: 1 }), state: 'ONLINE' }] },
      ],
    }
    const mode = { value: 'ONLINE', since: '2025-03-10T10:12:18.000Z', by: 'installation' }
    writeFileSync(settings.stateFile ?? '', JSON.stringify({ version: 1, mode, services: null, lastKnown }), {
      mode: 0o600,
    })
    const { client, get } = await testConnector(settings)
    await (await client('replica')).sees('db2 greets')
    expect((await get('status'))[1].datasources).toMatchObject([{ name: 'db1' }, { name: 'db2' }])
    expect(readFileSync(settings.stateFile ?? '', 'utf8')).toContain('"version"')
  })

  const hostile: readonly [string, (response: ServerResponse) => void, RegExp][] = [
    ['answers with an error', (it) => void it.writeHead(500).end('{}'), /answers 500/],
    [
      'answers something else than events',
      (it) => void it.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /something else than a stream/,
    ],
    [
      'sends nonsense',
      (it) => events(it, 'data: {"services":7}\n\n'),
      /something else than what to route by/,
    ],
    [
      'sends an event without an end',
      (it) => {
        events(it, 'data: ')
        const more = (): void => {
          while (!it.destroyed && it.write('x'.repeat(65_536)));
        }
        it.on('drain', more)
        more()
      },
      /too long/,
    ],
    ['hangs', () => undefined, /sent no event for 3 s/],
  ]
  const events = (response: ServerResponse, text: string): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(text)
  }

  it.each(hostile)('counts it as lost when it %s, and takes readers', async (_what, answer, words) => {
    const { manager, settings } = await scene()
    const server = await servePlain((_request, response) => answer(response), {
      path: manager.settings.socket,
    })
    onTestFinished(() => server.close())
    const { client, get, until } = await testConnector(settings)
    await (await client('replica')).sees('db2 greets')
    const [, { reason }] = await get('status')
    expect(reason).toMatch(waitsForManager())
    expect(reason).toMatch(words)
    await client()
    await until({ held: 1, active: 1 })
  })

  it('acts on what the manager says before it answers the manager that asks it to', async () => {
    const { manager, settings, first, second } = await scene()
    manager.say(routingOf([routed(first), routed(second)]))
    await manager.start()
    const { opened, refusal } = await testConnector(settings)
    const [ask] = opened.api.local ?? []
    for (const state of ['SHUNNED', 'ONLINE', 'OFFLINE', 'ONLINE', 'SHUNNED'] as const) {
      manager.say(routingOf([routed(first, state), routed(second)]))
      const answer = (await ask?.handle({} as never, {} as never)) as Routing
      expect(answer.services[0]?.datasources[0]?.state).toBe(state)
    }
    expect((await refusal()).message).toContain('db1 is SHUNNED')
    // Each change was asked for by a stream of its own; those before are closed.
    await eventually(() => expect(manager.followers()).toBe(1))
  })
})

describe('followManager', () => {
  const word = (name: string): string =>
    JSON.stringify(envelope('RoutingPayload', { services: [{ name, writer: nobody, datasources: [] }] }))
  const nobody = { datasource: null, code: null, reason: null, hold: false }

  /** A manager whose streams do what the test says, and a time that passes when it says so. */
  function follow() {
    const clock = manualClock()
    const streams: { event: (data: string) => void; end: (why: string) => void; signal: AbortSignal }[] = []
    let changes = 0
    const open: OpenStream = (event, signal) =>
      new Promise((resolve) => {
        streams.push({ event, end: (why) => resolve(new Error(why)), signal })
        signal.addEventListener('abort', () => resolve(new Error('left')))
      })
    const followed = followManager({
      open,
      clock,
      onChange: () => {
        changes += 1
      },
    })
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    const latest = () => streams.at(-1)
    return {
      ...{ followed, clock, streams, settle, changes: () => changes },
      names: () => followed.routing()?.services.map(({ name }) => name),
      event: async (data: string) => {
        latest()?.event(data)
        await settle()
      },
      end: async (why: string) => {
        latest()?.end(why)
        await settle()
      },
    }
  }

  it('tells of changes alone: of the word, of losing and of finding the manager', async () => {
    const { event, end, changes, names, followed, clock } = follow()
    const seen: number[] = []
    for (const step of [
      () => event(word('a')),
      () => event(word('a')),
      () => event(word('b')),
      () => end('gone'),
    ]) {
      await step()
      seen.push(changes())
    }
    expect([seen, names()]).toEqual([[1, 1, 2, 3], undefined])
    expect(followed.problem()).toEqual({ since: clock.now(), reason: 'gone' })
    clock.advance(200)
    await event(word('b'))
    expect([changes(), names(), followed.problem()]).toEqual([4, ['b'], undefined])
  })

  it('waits longer after each attempt in vain, two seconds at most', async () => {
    const { end, clock, streams } = follow()
    await end('gone')
    for (const pause of [200, 400, 800, 1600, 2000, 2000]) {
      const before = streams.length
      clock.advance(pause - 1)
      expect(streams).toHaveLength(before)
      clock.advance(1)
      expect(streams).toHaveLength(before + 1)
      await end('still gone')
    }
  })

  it('leaves a manager that sends something else, and says so', async () => {
    const { event, followed, streams, settle } = follow()
    await event('{"payloadType":"RoutingPayload","payload":{"services":[{}]}}')
    await settle()
    expect(streams[0]?.signal.aborted).toBe(true)
    expect(followed.problem()?.reason).toBe('it sends something else than what to route by')
  })

  it('takes the word of the stream that was asked for last, and no late one of the stream before', async () => {
    const { followed, event, streams, names, settle } = follow()
    await event(word('old'))
    const asked = followed.askNow()
    expect(streams).toHaveLength(2)
    expect(names()).toEqual(['old'])
    await event(word('new'))
    await asked
    expect(names()).toEqual(['new'])
    expect(streams[0]?.signal.aborted).toBe(true)
    streams[0]?.event(word('old'))
    await settle()
    expect(names()).toEqual(['new'])
  })

  it('asks once more for those who ask while it asks', async () => {
    const { followed, event, streams } = follow()
    await event(word('a'))
    const first = followed.askNow()
    const [second, third] = [followed.askNow(), followed.askNow()]
    await event(word('b'))
    await first
    expect(streams).toHaveLength(3)
    await event(word('c'))
    await Promise.all([second, third])
    expect(streams).toHaveLength(3)
  })

  it('keeps its stream when an attempt to ask anew fails', async () => {
    const { followed, event, end, names } = follow()
    await event(word('a'))
    const asked = followed.askNow()
    await end('no room')
    await asked
    expect([names(), followed.problem()]).toEqual([['a'], undefined])
  })

  it('does nothing more once it is stopped', async () => {
    const { followed, event, streams, clock, settle } = follow()
    await event(word('a'))
    followed.stop()
    expect(streams[0]?.signal.aborted).toBe(true)
    await settle()
    clock.advance(10_000)
    expect([streams.length, clock.pending()]).toEqual([1, 0])
  })

  it('makes the words of a manager printable', () => {
    const services = [
      { name: 'a', writer: { ...nobody, reason: 'db1\u001b[2J is\nFAILED' }, datasources: [] },
    ]
    const routing = readRouting(JSON.stringify(envelope('RoutingPayload', { services })))
    expect(routing?.services[0]?.writer.reason).toBe('db1\\x1b[2J is / FAILED')
  })
})
