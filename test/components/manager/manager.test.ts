import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StartError } from '../../../src/api/startError.ts'
import { askConnectorAt } from '../../../src/components/manager/askConnector.ts'
import { type ManagerSettings, openManager } from '../../../src/components/manager/manager.ts'
import { readState } from '../../../src/components/manager/managerState.ts'
import { commonRoutes } from '../../../src/contracts/commonRoutes.ts'
import { envelope } from '../../../src/contracts/envelope.ts'
import { managerRoutes } from '../../../src/contracts/managerRoutes.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'
import { installed } from './support.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const headers = { authorization: adminLogin }

function settingsOf(folder: string, more: Partial<ManagerSettings> = {}): ManagerSettings {
  return {
    cluster: 'cluster',
    host: 'db1',
    services: installed,
    stateFile: join(folder, 'manager.json'),
    member: { service: 'alpha', datasource: 'db1', witness: false },
    ...more,
  }
}

function opened(settings: ManagerSettings) {
  const it = openManager(settings, { log })
  onTestFinished(() => it.close())
  return it
}

describe('openManager', () => {
  it('serves the common calls alone where the settings name no services', async () => {
    const { served } = opened({ cluster: 'cluster', host: 'db1' }).api
    const { call } = await testApi({ served })
    expect((await call({ url: '/api/v2/ping' })).statusCode).toBe(200)
    expect((await call({ url: '/api/v2/manager/status', headers })).statusCode).toBe(404)
  })

  it('serves every call of the contract, each as its document describes it', async () => {
    const { served } = opened(settingsOf(temporaryFolder())).api
    const names = served.map(({ route }) => route.name)
    expect(names.toSorted()).toEqual(
      [...Object.values(commonRoutes), ...Object.values(managerRoutes)].map(({ name }) => name).toSorted(),
    )
    const { call } = await testApi({ served })
    const { paths } = (await call({ url: '/openapi.json' })).json()
    for (const { path, method, name } of Object.values(managerRoutes)) {
      expect(paths[path]?.[method.toLowerCase()]?.operationId).toBe(name)
    }
  })

  it('writes its state at once, so that it is known that it can be kept', () => {
    const folder = temporaryFolder()
    const settings = settingsOf(folder)
    opened(settings)
    const state = readFileSync(settings.stateFile ?? '', 'utf8')
    expect(JSON.parse(state)).toMatchObject({ version: 1, map: null, policies: [], marks: [] })
    opened(settings)
    expect(readFileSync(settings.stateFile ?? '', 'utf8')).toBe(state)
    const nowhere = settingsOf(folder, { stateFile: join(folder, 'none', 'manager.json') })
    expect(() => opened(nowhere)).toThrow(StartError)
    expect(() => opened(nowhere)).toThrow(
      `cannot write the state ${nowhere.stateFile}: no such file or folder`,
    )
  })

  it.each<[string, unknown, RegExp]>([
    [
      'another version',
      {
        version: 2,
        since: '2025-03-10T10:00:00Z',
        map: null,
        policies: [],
        marks: [],
        writers: [],
        holds: [],
      },
      /\/version/,
    ],
    ['a list', [], /must be object/],
    [
      'a policy that nobody knows',
      {
        version: 1,
        since: '2025-03-10T10:00:00Z',
        map: null,
        policies: [{ service: 'alpha', policy: 'AUTO' }],
        ...{ marks: [], writers: [], holds: [] },
      },
      /\/policies\/0\/policy/,
    ],
  ])('refuses a state with %s, and says the way out', (_name, value, where) => {
    const folder = temporaryFolder()
    const settings = settingsOf(folder)
    writeFileSync(settings.stateFile ?? '', JSON.stringify(value))
    expect(() => opened(settings)).toThrow(StartError)
    expect(() => opened(settings)).toThrow(where)
    expect(() => readState(value, '/state')).toThrow(
      /^cannot use the state \/state: .*\. Remove it to start with what was installed$/,
    )
    expect(JSON.parse(readFileSync(settings.stateFile ?? '', 'utf8'))).toEqual(value)
  })

  it('says before it starts that its password is not there', () => {
    const folder = temporaryFolder()
    const secretsFile = join(folder, 'secrets.json')
    const settings = settingsOf(folder, { monitor: monitorSettings, secretsFile })
    expect(() => opened(settings)).toThrow(`cannot read the secrets ${secretsFile}: no such file or folder`)
    writeFileSync(secretsFile, '{"replication-password":"x"}')
    expect(() => opened(settings)).toThrow(`the secrets ${secretsFile} hold no monitor-password`)
    expect(existsSync(settings.stateFile ?? '')).toBe(false)
  })
})

/** What listens at a socket of a test. */
async function listening(server: Server): Promise<string> {
  const path = join(temporaryFolder(), 'connector.sock')
  await once(server.listen(path), 'listening')
  onTestFinished(() => void server.close())
  return path
}

const answering = (body: unknown, status = '200 OK') =>
  createServer((socket) => {
    socket.on('error', () => undefined)
    const text = JSON.stringify(body)
    socket.once('data', (request) => {
      const isAsked = String(request).startsWith('GET /api/v2/connector/status HTTP/1.1\r\n')
      const line = isAsked ? status : '404 Not Found'
      socket.end(
        `HTTP/1.1 ${line}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      )
    })
  })

describe('asking the connector', () => {
  const status = {
    value: 'ONLINE',
    since: '2025-03-10T10:00:00.000Z',
    by: 'installation',
    reason: null,
    active: 4,
    held: 0,
    created: 11,
    expiresAt: null,
    datasources: [],
  }
  const answer = envelope('ConnectorStatusPayload', status)

  it('hears what it says', async () => {
    const path = await listening(answering(answer))
    expect(await askConnectorAt(path)()).toEqual(status)
  })

  it.each<[string, () => Server]>([
    ['says something else', () => answering({ ...answer, payload: { ...status, active: 'many' } })],
    ['fails', () => answering({ payload: status }, '500 Internal Server Error')],
    ['breaks off', () => createServer((socket) => void socket.destroy())],
    [
      'hangs',
      () => {
        const held = createServer((socket) => void onTestFinished(() => void socket.destroy()))
        return held
      },
    ],
  ])('does without one that %s', async (_name, server) => {
    expect(await askConnectorAt(await listening(server()))()).toBeNull()
  })

  it('does without one that is not there', async () => {
    const folder = temporaryFolder()
    expect(await askConnectorAt(join(folder, 'connector.sock'))()).toBeNull()
    mkdirSync(join(folder, 'is.sock'))
    expect(await askConnectorAt(join(folder, 'is.sock'))()).toBeNull()
  })
})
