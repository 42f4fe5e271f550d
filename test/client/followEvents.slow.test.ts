import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EventSource, followEvents, knownLimits } from '../../src/client/followEvents.ts'
import { RefusedStreamError } from '../../src/client/readEvents.ts'
import { managerApi } from '../../src/components/manager/manager.ts'
import { createManagerFeed } from '../../src/components/manager/managerFeed.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import type { ManagerEventPayload, ServiceStatusPayload } from '../../src/contracts/managerPayloads.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { managed } from '../components/manager/managedService.ts'
import { eventually } from '../support/eventually.ts'
import { servePlain } from '../support/loopbackServer.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** A manager with three data sources behind its API, which can be started anew. */
async function managing(listen: { address: string; port: number } | null = null) {
  const service = managed()
  await service.agree()
  const settings = settingsIn(temporaryFolder(), { listen })
  const member = { service: 'alpha', datasource: 'db1', witness: false }
  const begin = async () => {
    const served = {
      manager: service.manager(),
      identity: { cluster: 'one', host: 'host1', member, parentPid: () => 1 },
      askConnector: undefined,
    }
    const feed = createManagerFeed(served, { log: silent })
    const server = await start(settings, pino({ level: 'silent' }), { api: managerApi(served, feed) })
    return {
      port: server.port,
      stop: async () => {
        feed.close()
        await server.stop()
      },
    }
  }
  let running = await begin()
  let count = 0
  return {
    ...service,
    settings,
    port: () => running.port ?? 0,
    restart: async () => {
      await running.stop()
      running = await begin()
    },
    /** Changes the policy again and again; returns the events that tell of it. */
    change: (times = 1): readonly string[] =>
      Array.from({ length: times }).flatMap(() => {
        count += 1
        const policy = count % 2 === 1 ? 'MANUAL' : 'AUTOMATIC'
        service.manager().setPolicy('alpha', policy)
        return [`service ${policy}`, `manager ${policy}`]
      }),
  }
}

const clock = {
  now: () => 0,
  wait: () => setImmediate(),
  random: () => 0,
}

/** Follows a manager; what it was told, and a way to break its connection. */
function following(source: EventSource & { readonly limits?: { readonly silence: number } }) {
  const events: ManagerEventPayload[] = []
  const cuts: string[] = []
  const sockets: Socket[] = []
  let opened = 0
  const stop = new AbortController()
  const ended = followEvents({
    clock,
    ...(source.endpoint.kind === 'socket' && {
      dial: async () => {
        const socket = connect((source.endpoint as { path: string }).path)
        socket.on('error', () => undefined)
        sockets.push(socket)
        return socket
      },
    }),
    ...source,
    signal: stop.signal,
    onEvent: (event) => events.push(event),
    onOpen: () => {
      opened += 1
    },
    onCut: (error) => cuts.push(error.message),
  })
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  return {
    events,
    cuts,
    ended,
    opened: () => opened,
    stop: () => stop.abort(),
    cut: () => sockets.at(-1)?.destroy(),
  }
}

/** The policy that each event tells of. */
const told = (events: readonly ManagerEventPayload[]): string[] =>
  events.flatMap((it) => {
    if (it.kind === 'snapshot') return [`snapshot ${it.manager.policyMode}`]
    if (it.kind === 'manager') return [`manager ${it.manager.policyMode}`]
    return it.kind === 'service' ? [`service ${it.service.policy}`] : []
  })

describe('followEvents', () => {
  it('hands over every change once, however often and whenever its connection breaks', async () => {
    const { settings, change } = await managing()
    const step = fc.oneof(
      fc.integer({ min: 1, max: 30 }),
      fc.constant('cut' as const),
      fc.constantFrom('turn' as const, 'back' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { events, cut, opened, stop, ended } = following({
          endpoint: { kind: 'socket', path: settings.socket },
        })
        await eventually(() => expect(events[0]?.kind).toBe('snapshot'))
        const expected = told(events)
        for (const it of steps) {
          if (it === 'cut') cut()
          else if (it === 'back') {
            const before = opened()
            cut()
            await eventually(() => expect(opened()).toBeGreaterThan(before))
          } else if (it === 'turn') await setImmediate()
          else expected.push(...change(it))
        }
        await eventually(() => expect(told(events).length).toBeGreaterThanOrEqual(expected.length))
        expect(told(events)).toEqual(expected)
        expect(opened()).toBeGreaterThan(0)
        stop()
        await ended
      }),
      { numRuns: 15 },
    )
  })

  it('begins anew with a snapshot where more happened meanwhile than the manager keeps', async () => {
    const { settings, change } = await managing()
    const { events, cut, opened } = following({ endpoint: { kind: 'socket', path: settings.socket } })
    await eventually(() => expect(events).toHaveLength(1))
    cut()
    change(2001)
    await eventually(() => expect(events).toHaveLength(2))
    expect(told(events)).toEqual(['snapshot AUTOMATIC', 'snapshot MANUAL'])
    expect(opened()).toBe(2)
  })

  it('says that a manager is gone, and begins with a snapshot of the one that was started after it', async () => {
    const { settings, restart, change } = await managing()
    const { events, cuts } = following({ endpoint: { kind: 'socket', path: settings.socket } })
    await eventually(() => expect(events).toHaveLength(1))
    change()
    await restart()
    await eventually(() => expect(events.filter(({ kind }) => kind === 'snapshot')).toHaveLength(2))
    expect(cuts[0]).toMatch(/ended the stream|closed the connection/)
    expect(told(events).at(-1)).toBe('snapshot MANUAL')
    change()
    await eventually(() => expect(told(events).at(-1)).toBe('manager AUTOMATIC'))
  })

  it('logs in over TLS, and ends where the login is refused, without another attempt', async () => {
    const { port } = await managing({ address: '127.0.0.1', port: 0 })
    const endpoint = {
      kind: 'tcp',
      address: '127.0.0.1',
      port: port(),
      names: ['127.0.0.1'],
      trust: { kind: 'authorities', certificates: [certificate.chain] },
    } as const
    const { ended, cuts, events } = following({
      endpoint,
      credentials: { user: 'nobody', password: new Secret('wrong') },
    })
    const error = await ended
    expect(error).toBeInstanceOf(RefusedStreamError)
    expect([(error as RefusedStreamError).problem.status, cuts, events]).toEqual([401, [], []])
  })

  it('ends when it is told to, and closes its connection', async () => {
    const { settings } = await managing()
    const { events, stop, ended, cuts } = following({ endpoint: { kind: 'socket', path: settings.socket } })
    await eventually(() => expect(events).toHaveLength(1))
    stop()
    expect((await ended).code).toBe('interrupted')
    expect(cuts).toEqual([])
  })

  it('says why there is no connection, and tries again', async () => {
    const { settings } = await managing()
    let attempts = 0
    const { events, cuts } = following({
      endpoint: { kind: 'socket', path: settings.socket },
      dial: async () => {
        attempts += 1
        if (attempts < 3) return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
        const socket = connect(settings.socket)
        await once(socket, 'connect')
        return socket
      },
    })
    await eventually(() => expect(events).toHaveLength(1))
    expect(cuts).toHaveLength(2)
    expect(cuts[0]).toContain('nothing listens there')
  })
})

/** Follows a server that sends these texts, one after the other to each connection, and keeps it open. */
async function sent(...answers: readonly (readonly string[])[]) {
  const path = join(temporaryFolder(), 'api.sock')
  const asked: (string | undefined)[] = []
  const server = await servePlain(
    (request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      for (const text of answers[asked.length - 1] ?? []) response.write(text)
    },
    { path },
  )
  onTestFinished(() => server.close())
  return { ...following({ endpoint: { kind: 'socket', path }, limits: { silence: 100 } }), asked }
}

const frame = (payload: unknown, id: string): string =>
  `id: ${id}\ndata: ${JSON.stringify({ payloadType: 'ManagerEventPayload', payloadVersion: '1', payload })}\n\n`
const example = managerExamples.managerEvents.response

const service = managerExamples.managerServiceStatus.response as ServiceStatusPayload
const snapshotOf = (services: readonly ServiceStatusPayload[]) => ({
  ...{ kind: 'snapshot', time: '2026-01-02T03:04:05.000Z', cluster: 'alpha', host: 'db1' },
  ...{ manager: managerExamples.managerStatus.response, services, tasks: [], connector: null },
})
const many = <Value>(count: number, value: Value): readonly Value[] =>
  Array.from({ length: count }, () => value)

describe('what a server sends to followEvents', () => {
  it('is taken without members and kinds that a later release added', async () => {
    const later = {
      ...example,
      more: 1,
      datasource: { ...(example as { datasource: object }).datasource, more: 2 },
    }
    const { events, asked } = await sent([frame(later, 'a-1'), frame({ kind: 'weather', rain: true }, 'a-2')])
    await eventually(() => expect(asked).toEqual([undefined, 'a-2']))
    expect(events).toEqual([example])
  })

  it.each([
    ['something else', { kind: 'datasource', datasource: { name: 7 } }],
    ['no object', 'datasource'],
    ['more services than a cluster has', snapshotOf(many(knownLimits.services + 1, service))],
    [
      'more data sources than a cluster has',
      snapshotOf([
        {
          ...service,
          datasources: service.datasources.slice(0, 1).flatMap((it) => many(knownLimits.datasources + 1, it)),
        },
      ]),
    ],
    ['an event of a known kind without its value', { kind: 'task', time: '2025-03-11T08:30:00.412Z' }],
  ])('ends the stream where it is %s, and begins anew', async (_what, payload) => {
    const { cuts, asked, events } = await sent(
      [frame(example, 'a-1'), frame(payload, 'a-2')],
      [frame(example, 'a-3')],
    )
    await eventually(() => expect(events).toEqual([example, example]))
    expect([cuts[0], asked.slice(0, 2)]).toEqual([
      expect.stringContaining('none of this call'),
      [undefined, undefined],
    ])
  })

  it('may be nothing but silence once it goes on after an event, and not at first', async () => {
    const { asked, cuts } = await sent([frame(example, 'a-1')], [])
    await eventually(() => expect(asked.length).toBeGreaterThan(2))
    expect(asked.slice(0, 3)).toEqual([undefined, 'a-1', 'a-1'])
    expect(cuts[1]).toContain('nothing for 0.1 s')
  })

  it('has ids that fit into a header, or none', async () => {
    const { asked } = await sent([
      frame(example, 'a-1'),
      frame(example, 'ä\u0001'),
      frame(example, 'x'.repeat(200)),
    ])
    await eventually(() => expect(asked.length).toBeGreaterThan(1))
    expect(asked[1]).toBe('a-1')
  })
})
