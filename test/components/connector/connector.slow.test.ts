import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { databaseClient, refusalIn, standIn } from '../../support/databaseClient.ts'
import { fetchAt } from '../../support/https.ts'
import { serveTcp } from '../../support/loopbackServer.ts'
import { serverProgram } from '../../support/serverProgram.ts'
import { connectorSettings, dataSource } from '../../support/testConnector.ts'

function start(settings: ServerSettings): ChildProcess {
  const file = `${settings.socket}.json`
  writeFileSync(file, JSON.stringify(settings))
  const child = spawn(process.execPath, [serverProgram, 'serve', '--settings', file], {
    stdio: 'pipe',
    env: {},
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Starts the program; resolves when it serves, to its port for clients. */
async function serve(settings: ServerSettings) {
  const child = start(settings)
  let port = 0
  await new Promise<void>((resolve, reject) => {
    if (!child.stdout || !child.stderr) throw new Error('no pipes')
    const complaint = text(child.stderr)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const told = JSON.parse(line)
      if (told.msg === 'accepting clients') port = told.port
      if (told.msg === 'serving') resolve()
    })
    child.once('exit', () => void complaint.then((words) => reject(new Error(words))))
  })
  return {
    port,
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    terminate: () => void child.kill('SIGTERM'),
    exited: once(child, 'exit'),
  }
}

const caller = ({ socket }: ServerSettings) => {
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetchAt(
      { socketPath: socket },
      {
        path: `/api/v2/connector/${path}`,
        method,
        headers: { host: 'localhost', ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      },
    )
    expect(answer.status).toBe(200)
    return JSON.parse(answer.body).payload
  }
  return {
    get: (path: string) => send('GET', path),
    post: (path: string, body?: object) => send('POST', `${path}?i-am-sure=true`, body),
  }
}

/** What a load balancer is told. */
const readiness = async ({ socket }: ServerSettings): Promise<number> =>
  (await fetchAt({ socketPath: socket }, { path: '/health/ready', headers: { host: 'localhost' } })).status

it('is after SIGKILL what it answered right before', async () => {
  const db1 = await standIn('db1')
  const settings = connectorSettings([dataSource(db1)])
  const { get, post } = caller(settings)
  const db2 = dataSource({ name: 'db2', port: 2 }, 'replica')
  const beta = { name: 'beta', datasources: [db2] }
  const map = 'configuration/module/servicesmap'
  const changes = [
    ['onhold'],
    ['offline'],
    ['online'],
    ['addDataSource', { payloadType: 'DataSourcePayload', payload: { service: 'alpha', ...db2 } }],
    ['addDataService', { payloadType: 'DataServicePayload', payload: beta }],
    ['reset'],
    [map, { payloadType: 'ServicesMapPayload', payload: { services: [beta] } }],
  ] as const
  const shown = async () => {
    const { value, since, by } = await get('status')
    return { value, since, by, map: await get(map) }
  }

  let running = await serve(settings)
  const before = await shown()
  expect(before).toMatchObject({ value: 'ONLINE', by: 'installation' })
  await running.kill()
  running = await serve(settings)
  expect(await shown()).toEqual(before)
  for (const [path, body] of changes) {
    const answer = await post(path, body)
    expect([path, answer.changed]).toEqual([path, true])
    await running.kill()
    running = await serve(settings)
    const after = await shown()
    if (answer.value) {
      const { value, since } = answer
      expect(after).toMatchObject({ value, since, by: 'socket' })
    }
    expect([path, (await post(path, body)).changed]).toEqual([path, false])
    expect(await shown()).toEqual(after)
    const names = after.map.services.flatMap(({ datasources }: { datasources: { name: string }[] }) =>
      datasources.map(({ name }) => name),
    )
    const wanted = { addDataSource: 'db1,db2', addDataService: 'db1,db2,db2', [map]: 'db2' }[path as string]
    expect([path, names.join()]).toEqual([path, wanted ?? 'db1'])
  }
})

it('goes on with its clients while it stops, and answers those who wait', async () => {
  const db1 = await standIn('db1')
  const settings = connectorSettings([dataSource(db1)])
  const { get, post } = caller(settings)
  const running = await serve(settings)
  const client = await databaseClient(running.port)
  await client.sees('db1 greets')
  await post('onhold')
  const held = await databaseClient(running.port)
  await expect.poll(async () => (await get('status')).held).toBe(1)
  running.terminate()
  expect(refusalIn(await held.ended)).toMatchObject({ number: 1053 })
  held.socket.end()
  const refused = await databaseClient(running.port)
  expect(refusalIn(await refused.ended)).toMatchObject({
    number: 1053,
    message: 'The connector is stopping and takes no more connections.',
  })
  refused.socket.end()
  // Its API answers meanwhile: load balancers see why, and people what it waits for.
  expect(await readiness(settings)).toBe(503)
  expect((await get('status')).reason).toMatch(/^connections that are still open are cut at /)
  client.socket.write('still here')
  await client.sees('STILL HERE')
  client.socket.end()
  expect(await running.exited).toEqual([0, null])
  const { stateFile = '' } = settings
  expect(JSON.parse(readFileSync(stateFile, 'utf8')).mode.value).toBe('ONHOLD')
})

it('cuts who stays longer than connector-drain-timeout, and ends', async () => {
  const db1 = await standIn('db1')
  const settings = connectorSettings([dataSource(db1)])
  const { proxy } = settings
  if (!proxy) throw new Error('no proxy')
  const running = await serve({ ...settings, proxy: { ...proxy, drainTimeout: 300 } })
  const client = await databaseClient(running.port)
  await client.sees('db1 greets')
  running.terminate()
  await client.ended
  expect(await running.exited).toEqual([0, null])
})

it('ends at once when it is told twice', async () => {
  const db1 = await standIn('db1')
  const settings = connectorSettings([dataSource(db1)])
  const running = await serve(settings)
  const client = await databaseClient(running.port)
  await client.sees('db1 greets')
  running.terminate()
  await expect.poll(() => readiness(settings)).toBe(503)
  running.terminate()
  expect(await running.exited).toEqual([null, 'SIGTERM'])
})

it('ends with words when it cannot open its ports', async () => {
  const taken = await serveTcp(() => undefined)
  const settings = connectorSettings([dataSource({ name: 'db1', port: 1 })])
  const { proxy } = settings
  if (!proxy) throw new Error('no proxy')
  // The second port of two: the first is open by then.
  const child = start({ ...settings, proxy: { ...proxy, readonlyPort: taken.port } })
  if (!child.stderr) throw new Error('no pipe')
  const [words, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([code, words]).toEqual([
    1,
    `muster-api: cannot listen on 127.0.0.1:${taken.port}: another program uses this port; stop it or choose another port\n`,
  ])
  await taken.close()
})
