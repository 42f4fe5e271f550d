import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashPassword } from '../../../src/accounts/passwordHash.ts'
import { putUser } from '../../../src/accounts/userFile.ts'
import { changeUserFile } from '../../../src/accounts/userFileIo.ts'
import { openConnector } from '../../../src/components/connector/connector.ts'
import { openManager } from '../../../src/components/manager/manager.ts'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { fetchAt } from '../../support/https.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { basic, testCost } from '../../support/testApi.ts'
import { connectorSettings, dataSource } from '../../support/testConnector.ts'
import { settingsIn, start } from '../../support/testServer.ts'

const mapPath = 'configuration/module/servicesmap'
const body = (payloadType: string, payload: object) => ({ payloadType, payload })

async function putAdmin(usersFile: string, password: string): Promise<void> {
  const hash = await hashPassword({ password: new Secret(password), salt: Buffer.alloc(16), cost: testCost })
  await changeUserFile(usersFile, (file) => putUser(file, { user: 'admin', access: 'full', hash }))
}

/** A manager and a connector of one host, each with its server. */
async function host() {
  const folder = temporaryFolder()
  const [db1, db2] = [await standIn('db1'), await standIn('db2')]
  const services = {
    services: [{ name: 'alpha', datasources: [dataSource(db1), dataSource(db2, 'replica')] }],
  }
  const lines: unknown[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const managerSettings = settingsIn(folder, {
    ...{ listen: null, services, auditFile: join(folder, 'manager.audit.jsonl') },
    stateFile: join(folder, 'manager.json'),
    member: { service: 'alpha', datasource: 'db1', witness: false },
    connectorSocket: join(folder, 'connector.sock'),
  })
  const settings: ServerSettings = {
    ...connectorSettings(services.services[0]?.datasources ?? [], { folder }),
    socket: join(folder, 'connector.sock'),
    managerSocket: managerSettings.socket,
    auditFile: join(folder, 'connector.audit.jsonl'),
  }
  const manager = openManager(managerSettings, { log })
  onTestFinished(() => manager.close())
  const managerServer = await start(managerSettings, log, { api: manager.api })
  const opened = openConnector(settings, log)
  onTestFinished(() => opened.close())
  await opened.start?.()
  await start(settings, log, { api: opened.api })
  const call = async (
    component: 'manager' | 'connector',
    path: string,
    more: { body?: object; login?: string } = {},
  ) => {
    const method = path === mapPath && !more.body ? 'GET' : 'POST'
    const socketPath = component === 'manager' ? managerSettings.socket : settings.socket
    const answer = await fetchAt(
      { socketPath },
      {
        path: `/api/v2/${component}/${path}${method === 'POST' ? '?i-am-sure=true' : ''}`,
        method,
        headers: {
          host: 'localhost',
          ...(more.body ? { 'content-type': 'application/json' } : {}),
          ...(more.login ? { authorization: more.login } : {}),
        },
        ...(more.body ? { body: JSON.stringify(more.body) } : {}),
      },
    )
    return [answer.status, JSON.parse(answer.body).payload] as const
  }
  return { call, opened, managerServer, folder, settings, db1, db2, services, lines }
}

const db9 = { service: 'alpha', name: 'db9', host: '127.0.0.1', port: 9, role: 'replica' }

describe('the map calls of a connector that follows the manager of its host', () => {
  it('are the manager’s: they answer with its result, and both maps are one', async () => {
    const { call } = await host()
    const added = await call('connector', 'addDataSource', { body: body('DataSourcePayload', db9) })
    expect(added).toEqual([200, { ...db9, state: 'UNKNOWN', changed: true }])
    expect(await call('connector', mapPath)).toEqual(await call('manager', mapPath))
    expect((await call('manager', mapPath))[1].services[0].datasources).toHaveLength(3)
    const again = await call('connector', 'addDataSource', { body: body('DataSourcePayload', db9) })
    expect(again[1].changed).toBe(false)
    expect(
      (await call('connector', 'addDataService', { body: body('DataServicePayload', { name: 'beta' }) }))[1],
    ).toEqual({
      name: 'beta',
      datasources: [],
      changed: true,
    })
    expect((await call('connector', 'reset'))[1].changed).toBe(true)
    expect((await call('manager', mapPath))[1].services).toHaveLength(1)
  })

  it('are in force in the connector before the answer', async () => {
    const { call, opened, db1, db2 } = await host()
    for (const primary of [db2, db1, db2]) {
      const datasources = [db1, db2].map((it) => dataSource(it, it === primary ? 'primary' : 'replica'))
      const payload = { services: [{ name: 'alpha', datasources }] }
      expect((await call('connector', mapPath, { body: body('ServicesMapPayload', payload) }))[0]).toBe(200)
      const status = opened.api.served.find(({ route }) => route.name === 'connectorStatus')
      expect(status).toBeDefined()
      const followed = opened.api.local?.[0]
      const [before] = [JSON.stringify(await followed?.handle({} as never, {} as never))]
      expect(before).toContain(`"datasource":"${primary.name}"`)
    }
  })

  it('answer the manager’s refusals in its words and with its status', async () => {
    const { call } = await host()
    const wrong = { ...db9, service: 'gamma' }
    const [status, problem] = await call('connector', 'addDataSource', {
      body: body('DataSourcePayload', wrong),
    })
    expect([status, problem.code, problem.detail]).toEqual([
      409,
      'unknown-service',
      'The manager of this host answers: The map has no service gamma. Add it with addDataService first.',
    ])
    const state = {
      services: [
        { name: 'alpha', datasources: [{ ...dataSource({ name: 'x', port: 1 }), state: 'ONLINE' }] },
      ],
    }
    expect((await call('connector', mapPath, { body: body('ServicesMapPayload', state) }))[0]).toBe(400)
  })

  it('are audited on both, under the name of the caller, and without a password', async () => {
    const { call, folder, settings } = await host()
    await putAdmin(settings.usersFile, 'right')
    const login = basic('admin', 'right')
    await call('connector', 'addDataSource', { body: body('DataSourcePayload', db9), login })
    const { readFileSync } = await import('node:fs')
    const lines = (name: string) =>
      readFileSync(join(folder, `${name}.audit.jsonl`), 'utf8')
        .trimEnd()
        .split('\n')
        .map((it) => JSON.parse(it))
    await eventually(() => expect(lines('connector')).toHaveLength(1))
    expect(lines('connector')).toMatchObject([
      {
        call: 'connectorAddDataSource',
        user: 'admin',
        changed: true,
        parameters: { ...db9, manager: 'the manager of this host' },
      },
    ])
    expect(lines('manager')).toMatchObject([{ call: 'managerAddDataSource', user: 'admin', changed: true }])
    expect(JSON.stringify([lines('connector'), lines('manager')])).not.toContain(login.slice(6))
  })

  it('say that no manager answers while there is none', async () => {
    const { call, managerServer } = await host()
    await managerServer.stop()
    await eventually(async () => {
      const [status, { code }] = await call('connector', mapPath)
      expect([status, code]).toEqual([502, 'manager-unreachable'])
    })
    const [status, { code }] = await call('connector', 'reset')
    expect([status, code]).toEqual([502, 'manager-unreachable'])
  })
})

describe('a manager and the connector that follows it', () => {
  it('write no line at info while nothing happens, beyond the comments of the stream', async () => {
    const { lines } = await host()
    const before = lines.length
    // time: comments come every five seconds; there is no event to wait for.
    await new Promise((resolve) => setTimeout(resolve, 5500))
    expect(lines.slice(before)).toEqual([])
  })
})
