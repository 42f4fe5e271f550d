import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callAll } from '../../src/client/call.ts'
import { makeSentinel } from '../lab/scenario/sentinel.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { createWorld, type Host, type World } from './support/world.ts'

/** A manager on one host and a connector on another, as they are installed. */
describe.skipIf(process.platform !== 'linux')('a connector on a host without a manager (needs Linux)', () => {
  const admin = makeSentinel()
  let world: World
  let db1: Host
  let app: Host

  /** What a path of the connector answers over TLS. */
  async function ask(path: string): Promise<string> {
    const authority = readFileSync(join(world.operator.directory, '.muster/alpha/authority.crt'), 'utf8')
    const target = { address: app.address, port: app.ports.connector, authorities: [authority] }
    const credentials = { user: 'admin', password: admin.password }
    const [result] = await callAll([{ id: 'it', method: 'GET', path, target, credentials, timeout: 25_000 }])
    if (!result || !('status' in result)) throw new Error(JSON.stringify(result))
    return typeof result.body === 'string' ? result.body : JSON.stringify(result.body)
  }
  const isCurrent = async (): Promise<boolean> =>
    /^muster_connector_map_current 1$/m.test(await ask('/metrics'))
  const logOf = (host: Host, component: string): string =>
    readFileSync(join(host.directory, `data/${component}.log`), 'utf8')

  beforeAll(async () => {
    world = await createWorld(2)
    db1 = world.host('db1')
    app = world.host('db2')
    Object.assign(world.operator.env, {
      ADMIN_PASS: admin.password,
      REPLICATION_PASSWORD: makeSentinel().password,
      MONITOR_PASSWORD: makeSentinel().password,
    })
    world.describe({
      connectors: ['db2'],
      defaults: {
        'rest-api-admin-pass': '!env ADMIN_PASS',
        'datasource-type': 'mariadb',
        'replication-user': 'repl',
        'replication-password': '!env REPLICATION_PASSWORD',
        'replication-port': await freePort(db1.address),
        'monitor-user': 'watch',
        'monitor-password': '!env MONITOR_PASSWORD',
        'application-address': app.address,
        'application-port': await freePort(app.address),
        'connector-manager-timeout': '1s',
      },
    })
  })
  afterAll(() => world?.close())

  it('follows the manager of another host once both are installed', async () => {
    const { code, stderr } = await world.muster('install')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await eventually(async () => expect(await isCurrent()).toBe(true))
    expect(await ask('/api/v2/connector/configuration/module/servicesmap')).toContain('"name":"db1"')
  })

  it('goes on following while the authority is rotated', async () => {
    const { code } = await world.operator.muster(['cert', 'rotate-authority', '--yes', 'alpha.yaml'])
    expect(code).toBe(0)
    await eventually(async () => expect(await isCurrent()).toBe(true))
  })

  it('takes clients no more when the manager is stopped for too long, and again when it is back', async () => {
    const { code } = await world.muster('stop', ['--host', 'db1'])
    expect(code).toBe(0)
    await eventually(async () => expect(await ask('/health/ready')).toContain('no manager answers since'))
    await eventually(async () => expect(await ask('/health/ready')).toContain('new connections are refused'))
    expect((await world.muster('start', ['--host', 'db1'])).code).toBe(0)
    await eventually(async () => expect(await isCurrent()).toBe(true))
    expect(logOf(app, 'connector')).toContain('a manager does not answer')
  })
})
