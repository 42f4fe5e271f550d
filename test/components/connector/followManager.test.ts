import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { followManager } from '../../../src/components/connector/followManager.ts'
import type { MapInEffect } from '../../../src/components/connector/routing.ts'
import { managerRoutes } from '../../../src/contracts/managerRoutes.ts'
import type { DataSourceEntry, MapDataSource } from '../../../src/contracts/servicesMap.ts'
import { standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { type LoopbackServer, servePlain } from '../../support/loopbackServer.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin } from '../../support/testApi.ts'
import { connectorSettings, dataSource, testConnector } from '../../support/testConnector.ts'

/** A manager that says of its map what it is told to say. */
async function fakeManager(folder: string) {
  const path = join(folder, 'manager.sock')
  let answer = (response: ServerResponse): void => void response.end()
  let server: LoopbackServer | undefined
  const say = (status: number, body: unknown): void => {
    answer = (response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
  }
  const manager = {
    path,
    map: (...datasources: readonly DataSourceEntry[]) =>
      say(200, {
        payloadType: 'ServicesMapPayload',
        payloadVersion: '1',
        payload: { services: [{ name: 'alpha', datasources }] },
      }),
    say,
    /** Takes calls and answers none. */
    hang: () => {
      answer = () => undefined
    },
    start: async () => {
      server = await servePlain(
        (request, response) => {
          expect(`${request.method} ${request.url}`).toBe(`GET ${managerRoutes.managerServicesMap.path}`)
          answer(response)
        },
        { path },
      )
    },
    stop: async () => {
      await server?.close()
      server = undefined
    },
  }
  onTestFinished(() => manager.stop())
  return manager
}

const entry = (it: MapDataSource, state: DataSourceEntry['state'] = 'ONLINE'): DataSourceEntry => ({
  ...it,
  state,
})

async function scene() {
  const folder = temporaryFolder()
  const [db1, db2] = [await standIn('db1'), await standIn('db2')]
  const manager = await fakeManager(folder)
  const installed = [dataSource(db1), dataSource(db2, 'replica')]
  const settings = connectorSettings(installed, { folder, managerSocket: manager.path })
  const [first, second] = [dataSource(db1), dataSource(db2, 'replica')]
  return { manager, settings, db1, db2, first, second }
}

describe('a connector that follows a manager', () => {
  it('asks it before it takes a client, and routes by what it says from then on', async () => {
    const { manager, settings, db1, db2, first, second } = await scene()
    // Another primary than the one that was installed.
    manager.map(entry(dataSource(db1, 'replica')), entry(dataSource(db2)))
    await manager.start()
    const { client, get, refusal } = await testConnector(settings)
    await (await client()).sees('db2 greets')
    expect((await get('status'))[1].reason).toBeNull()
    manager.map(entry(first, 'SHUNNED'), entry(second, 'ONLINE'))
    const datasources = [entry(first, 'SHUNNED'), entry(second)]
    await eventually(async () => {
      const [, map] = await get('configuration/module/servicesmap')
      expect(map).toEqual({ services: [{ name: 'alpha', datasources }] })
    })
    expect((await refusal()).message).toContain('no primary of service alpha is ONLINE: db1 is SHUNNED')
  })

  it('goes to what the manager cannot check, and keeps nothing that a release before could not read', async () => {
    const { manager, settings, first, second } = await scene()
    manager.map(entry(first, 'UNKNOWN'), entry(second, 'SHUNNED'))
    await manager.start()
    const { client, get } = await testConnector(settings)
    await (await client()).sees('db1 greets')
    const states = async () => {
      const [, map] = await get('configuration/module/servicesmap')
      return [...JSON.stringify(map).matchAll(/"state":"(\w+)"/g)].map(([, state]) => state)
    }
    expect(await states()).toEqual(['UNKNOWN', 'SHUNNED'])
    expect(readFileSync(settings.stateFile ?? '', 'utf8')).not.toContain('UNKNOWN')
  })

  it('cuts connections to what the manager calls FAILED', async () => {
    const { manager, settings, first, second } = await scene()
    manager.map(entry(first), entry(second))
    await manager.start()
    const { client, until } = await testConnector(settings)
    const running = await client()
    await running.sees('db1 greets')
    manager.map(entry(first, 'FAILED'), entry(second))
    await running.ended
    await until({ active: 0 })
  })

  it('leaves changes of the map to it', async () => {
    const { manager, settings, first, second } = await scene()
    manager.map(entry(first), entry(second))
    await manager.start()
    const { post, get } = await testConnector(settings)
    const before = await get('configuration/module/servicesmap')
    const body = (payloadType: string, payload: object) => ({ payloadType, payload })
    const more = { name: 'db9', host: '127.0.0.1', port: 9, role: 'replica' }
    for (const [path, wanted] of [
      ['configuration/module/servicesmap', body('ServicesMapPayload', { services: [] })],
      ['addDataService', body('DataServicePayload', { name: 'beta' })],
      ['addDataSource', body('DataSourcePayload', { service: 'alpha', ...more })],
      ['reset', undefined],
    ] as const) {
      const [status, payload] = await post(path, wanted)
      expect([status, payload.code]).toEqual([409, 'follows-manager'])
      expect(payload.detail).toContain('Make the change there')
    }
    expect(await get('configuration/module/servicesmap')).toEqual(before)
  })

  it('goes on with the last known map when it is lost, says so, and takes up the new one when it is back', async () => {
    const { manager, settings, first, second, db1, db2 } = await scene()
    manager.map(entry(first), entry(second, 'SHUNNED'))
    await manager.start()
    const { client, get, told, call } = await testConnector(settings)
    const running = await client()
    await running.sees('db1 greets')
    const warnings = () => told.filter(({ level }) => level === 40)
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
      /the manager does not answer since \d{4}-\S+Z, so the last known services map stays in effect \(/,
    )
    const ready = await call({ url: '/health/ready', headers: { authorization: adminLogin } })
    expect([ready.statusCode, ready.body]).toEqual([
      200,
      expect.stringContaining('the manager does not answer'),
    ])
    expect(warnings()).toHaveLength(1)

    manager.map(entry(dataSource(db1, 'replica')), entry(dataSource(db2)))
    await manager.start()
    await eventually(async () => expect(await current()).toBe('1'))
    await (await client()).sees('db2 greets')
    expect((await get('status'))[1].reason).toBeNull()
    expect(told.map(({ msg }) => msg)).toContain('the manager answers again')
    expect(warnings()).toHaveLength(1)
  })

  it.each([
    ['answers with an error', 500, { payloadType: 'ErrorPayload', payload: {} }, 'answers 500 instead'],
    [
      'answers nonsense',
      200,
      { payloadType: 'ServicesMapPayload', payload: { services: 7 } },
      'something else',
    ],
  ])('counts it as lost when it %s', async (_what, status, body, words) => {
    const { manager, settings } = await scene()
    manager.say(status, body)
    await manager.start()
    const { client, get } = await testConnector(settings)
    await (await client()).sees('db1 greets')
    expect((await get('status'))[1].reason).toContain(words)
  })

  it('starts without it, by what was installed, and next time by what it said last', async () => {
    const { manager, settings, db1, db2 } = await scene()
    const first = await testConnector(settings)
    await (await first.client()).sees('db1 greets')
    expect((await first.get('status'))[1].reason).toContain('the manager does not answer')
    manager.map(entry(dataSource(db1, 'replica')), entry(dataSource(db2)))
    await manager.start()
    await first.until({ reason: null })
    await (await first.client()).sees('db2 greets')
    first.opened.close()
    await manager.stop()
    const second = await testConnector(settings)
    await (await second.client()).sees('db2 greets')
  })

  it('is not kept from starting by one that hangs', async () => {
    const { manager, settings } = await scene()
    manager.hang()
    await manager.start()
    const { client, told } = await testConnector(settings)
    await (await client()).sees('db1 greets')
    expect(told.filter(({ level }) => level === 40)).toMatchObject([
      { reason: expect.stringContaining('did not answer within 1 s') },
    ])
  })
})

describe('followManager', () => {
  /** A manager that answers when the test says so, and a time that passes when it says so. */
  function follow() {
    const events: string[] = []
    let answer: ((map: MapInEffect | Error) => void) | undefined
    let pass: (() => void) | undefined
    let latest: AbortSignal | undefined
    const followed = followManager({
      ask: (signal) => {
        events.push('asked')
        latest = signal
        return new Promise((resolve, reject) => {
          answer = (it) => (it instanceof Error ? reject(it) : resolve(it))
        })
      },
      interval: 500,
      wait: () => new Promise<void>((resolve) => (pass = resolve)),
      now: () => new Date(0),
      onMap: ({ services }) => events.push(`map of ${services.length}`),
      onUnreachable: (reason) => events.push(`lost: ${reason}`),
      onReachable: () => events.push('found'),
    })
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    return {
      followed,
      events,
      isAborted: () => latest?.aborted,
      answer: async (it: MapInEffect | Error) => {
        answer?.(it)
        await settle()
      },
      pass: async () => {
        pass?.()
        await settle()
      },
    }
  }
  const one: MapInEffect = { services: [{ name: 'alpha', datasources: [] }] }

  it('tells of changes alone: of the map, of losing and of finding the manager', async () => {
    const { followed, events, answer, pass } = follow()
    const answers = [
      one,
      one,
      { services: [] },
      new Error('gone'),
      new Error('still gone'),
      { services: [] },
      one,
    ]
    for (const it of answers) {
      await answer(it)
      await pass()
    }
    expect(events.filter((it) => it !== 'asked')).toEqual([
      'map of 1',
      'map of 0',
      'lost: gone',
      'found',
      'map of 1',
    ])
    expect(followed.problem()).toBeUndefined()
  })

  it('says since when and why the manager is lost', async () => {
    const { followed, answer, pass } = follow()
    await answer(new Error('gone'))
    await pass()
    await answer(new Error('still gone'))
    expect(followed.problem()).toEqual({ since: new Date(0), reason: 'still gone' })
  })

  it('asks no more once it is stopped, and takes no late answer', async () => {
    const { followed, events, isAborted, answer, pass } = follow()
    await answer(one)
    await pass()
    expect(isAborted()).toBe(false)
    followed.stop()
    expect(isAborted()).toBe(true)
    await answer({ services: [] })
    await pass()
    expect(events).toEqual(['asked', 'map of 1', 'asked'])
  })
})
