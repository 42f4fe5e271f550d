import { createServer } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StartError } from '../../src/api/startError.ts'
import { startServer } from '../../src/api/startServer.ts'
import { openConnector } from '../../src/components/connector/connector.ts'
import { openManager } from '../../src/components/manager/manager.ts'
import { openComponent } from '../../src/components/openComponent.ts'
import { components } from '../../src/contracts/component.ts'
import { standIn } from '../support/databaseClient.ts'
import { fetchAt, type Place } from '../support/https.ts'
import { proxySettings } from '../support/proxySettings.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { testCost } from '../support/testApi.ts'
import { connectorSettings, dataSource } from '../support/testConnector.ts'
import { settingsIn } from '../support/testServer.ts'

const database = { type: 'mysql', host: '127.0.0.1', port: 1, user: 'muster', service: 'alpha' } as const

const log = pino({ level: 'silent' })

describe('openComponent', () => {
  it.each(components)('opens the %s that settings without a database mean', async (component) => {
    const { api, close } = await openComponent(settingsIn(temporaryFolder(), { component }), log)
    expect(api.component).toBe(component)
    close()
  })

  it.each([
    ['manager', 'no database configured: the manager serves users and status only'],
    ['connector', 'no database configured: the connector opens no port for clients'],
    ['replicator', 'no database configured: the replicator controls no replication'],
  ] as const)('tells the log of the %s what it does without a database', async (component, words) => {
    const lines: string[] = []
    const told = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const bare = await openComponent(settingsIn(temporaryFolder(), { component }), told)
    bare.close()
    expect(lines.join('')).toContain(words)
  })

  it('tells the log nothing of a database of a connector that opens its port before it has one', async () => {
    const lines: string[] = []
    const told = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const folder = temporaryFolder()
    const settings = settingsIn(folder, {
      component: 'connector',
      services: { services: [{ name: 'alpha', datasources: [] }] },
      stateFile: join(folder, 'state.json'),
      proxy: { ...proxySettings, port: 0 },
    })
    const opened = await openComponent(settings, told)
    opened.close()
    expect(lines.join('')).not.toContain('no database configured')
  })

  it('tells the log of the manager that nobody checks its data sources', async () => {
    const lines: string[] = []
    const told = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const folder = temporaryFolder()
    const source = { name: 'db1', host: '127.0.0.1', port: 1, role: 'primary' } as const
    const settings = settingsIn(folder, {
      services: { services: [{ name: 'alpha', datasources: [source] }] },
      stateFile: join(folder, 'state.json'),
      member: { service: 'alpha', datasource: 'db1', witness: false },
    })
    const opened = await openComponent(settings, told)
    opened.close()
    expect(lines.join('')).toContain('monitor-user is not set: data sources are not checked')
    expect(lines.join('')).not.toContain('no database configured')
  })

  it('says before it starts that the password of the database is not there', async () => {
    const folder = temporaryFolder()
    const secretsFile = join(folder, 'secrets.json')
    const settings = settingsIn(folder, { component: 'replicator', database, secretsFile })
    const open = () => openComponent(settings, log)
    await expect(open()).rejects.toThrow(StartError)
    await expect(open()).rejects.toThrow(`cannot read the secrets ${secretsFile}: no such file or folder`)
  })
})

const base = '/api/v2/manager'

/** A manager behind its socket, and settings of the connector of its host. */
async function scene() {
  const folder = temporaryFolder()
  const [db1, db2] = [await standIn('db1'), await standIn('db2')]
  const sources = [dataSource(db1), dataSource(db2, 'replica')]
  const sockets = { manager: join(folder, 'manager.sock'), connector: join(folder, 'connector.sock') }
  const more = { folder, managerSocket: sockets.manager, socket: sockets.connector }
  const settings = connectorSettings(sources, more)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const managing = {
    ...settings,
    component: 'manager',
    socket: sockets.manager,
    stateFile: join(folder, 'manager.state.json'),
    member: { service: 'alpha', datasource: 'db1', witness: false },
    connectorSocket: sockets.connector,
  } as const
  const manager = openManager(managing, { log })
  const server = await startServer({
    settings: managing,
    api: manager.api,
    version: '1',
    log,
    cost: testCost,
  })
  onTestFinished(async () => {
    await server.stop()
    manager.close()
  })
  const place: Place = { socketPath: sockets.manager }
  const post = async (path: string, body?: object) => {
    const answer = await fetchAt(place, {
      path: `${base}/${path}?i-am-sure=true`,
      method: 'POST',
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    expect([path, answer.status]).toEqual([path, 200])
    return JSON.parse(answer.body).payload
  }
  return { settings, sockets, post, log, lines }
}

it('A change that a manager has answered is in force in the connector of its host', async () => {
  const { settings, sockets, post, log } = await scene()
  const connector = openConnector(settings, log)
  const api = await startServer({ settings, api: connector.api, version: '1', log, cost: testCost })
  onTestFinished(async () => {
    await api.stop()
    connector.close()
  })
  await connector.start?.()
  const routed = async (): Promise<readonly string[]> => {
    const path = '/api/v2/connector/configuration/module/servicesmap'
    const { body } = await fetchAt({ socketPath: sockets.connector }, { path })
    const [alpha] = JSON.parse(body).payload.services
    return alpha.datasources.map((it: { name: string; state: string }) => `${it.name} ${it.state}`)
  }
  const steps: readonly (readonly [string, readonly string[], object?])[] = [
    ['control/service/alpha/offline', ['db1 OFFLINE', 'db2 OFFLINE']],
    ['control/service/alpha/online', ['db1 UNKNOWN', 'db2 UNKNOWN']],
    ['control/service/alpha/datasource/db2/shun', ['db1 UNKNOWN', 'db2 SHUNNED']],
    ['control/service/alpha/datasource/db2/welcome', ['db1 UNKNOWN', 'db2 UNKNOWN']],
    [
      'configuration/module/servicesmap',
      ['db3 UNKNOWN'],
      {
        payloadType: 'ServicesMapPayload',
        payload: { services: [{ name: 'alpha', datasources: [dataSource({ name: 'db3', port: 1 })] }] },
      },
    ],
    ['reset', ['db1 UNKNOWN', 'db2 UNKNOWN']],
  ]
  for (const [path, wanted, body] of [...steps, ...steps]) {
    await post(path, body)
    expect([path, await routed()]).toEqual([path, wanted])
  }
})

it('A connector that does not hear from its manager is a remark of a change there', async () => {
  const { settings, sockets, post, log } = await scene()
  const connector = openConnector({ ...settings, managerSocket: `${sockets.manager}.of-another` }, log)
  const api = await startServer({ settings, api: connector.api, version: '1', log, cost: testCost })
  onTestFinished(async () => {
    await api.stop()
    connector.close()
  })
  await connector.start?.()
  const { remarks } = await post('control/service/alpha/offline')
  expect(remarks).toEqual([
    expect.stringMatching(
      /^The connector of db1 is not known to .*: It does not hear from the manager of its host\. /,
    ),
  ])
})

it('A connector that hangs keeps no change of its manager from being answered, and is a remark', async () => {
  const { sockets, post, lines } = await scene()
  const hanging = createServer((socket) => void onTestFinished(() => void socket.destroy()))
  await new Promise<void>((resolve) => hanging.listen(sockets.connector, resolve))
  onTestFinished(() => void hanging.close())
  const { remarks } = await post('control/service/alpha/offline')
  expect(remarks).toEqual([
    expect.stringMatching(/^The connector of db1 is not known to act on the change yet: /),
  ])
  expect(lines.join('')).toContain('the connector is not known to act on a change yet')
})

it('A change of a manager whose host has no connector that runs is answered without a warning', async () => {
  const { post, lines } = await scene()
  expect((await post('control/service/alpha/offline')).remarks).toBeUndefined()
  expect(lines.join('')).not.toContain('act on a change')
})
