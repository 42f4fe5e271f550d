import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openComponent } from '../../src/components/openComponent.ts'
import type { Component } from '../../src/contracts/component.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { portOf } from '../support/https.ts'
import { proxySettings } from '../support/proxySettings.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'
import { workplace } from './support.ts'

const services = {
  services: [
    {
      name: 'alpha',
      datasources: [
        { name: 'db1', host: '127.0.0.1', port: 1, role: 'primary' },
        { name: 'db2', host: '127.0.0.1', port: 2, role: 'replica' },
      ],
    },
  ],
} as const

const proxy = { ...proxySettings, port: 0, drainTimeout: 1000 }

/** The component as it is installed, over databases that nobody calls, and tapi that calls it. */
async function installed(component: Component, more: Partial<ServerSettings>, columns?: number) {
  const place = await workplace()
  const folder = temporaryFolder()
  const stateFile = join(folder, 'state.json')
  const settings = settingsIn(folder, { component, services, stateFile, ...more })
  const log = pino({ level: 'silent' })
  const opened = await openComponent(settings, log)
  const server = await start(settings, log, { api: opened.api })
  await opened.start?.()
  onTestFinished(async () => {
    await opened.stop?.()
    opened.close()
    await place.remove()
  })
  const ca = await place.file('ca.pem', certificate.chain)
  const where = ['--host', '127.0.0.1', '--port', String(portOf(server)), '--ca', ca]
  const env = { TAPI_USER: 'admin', TAPI_PASSWORD: 'right' }
  const tapi = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await place.run([...where, ...argv], {
      env,
      ...(columns && { columns }),
    })
    return { code, stdout, stderr }
  }
  const kind = ['--component', component]
  expect((await tapi('create-admin-user', '--user', 'admin', '--yes', ...kind)).code).toBe(0)
  return tapi
}

describe('tapi with the server of', () => {
  it('a manager shows its data sources and changes them', async () => {
    const tapi = await installed('manager', {
      member: { service: 'alpha', datasource: 'db1', witness: false },
    })
    const status = await tapi('status', '--component', 'manager')
    expect(status.stdout).toMatch(
      /^manager {2}OFFLINE {2}not monitoring: monitor-user is not set, policy AUTOMATIC, data source db1 of alpha, up /m,
    )
    expect((await tapi('topology')).stdout).toContain('alpha    db2          replica\n')
    expect((await tapi('service', 'status')).stdout).toMatch(/^db1 +primary +UNKNOWN +127\.0\.0\.1:1 /m)

    const offline = await tapi('datasource', 'offline', 'db2', '--yes')
    expect([offline.code, offline.stdout]).toEqual([
      0,
      expect.stringMatching(/^state +OFFLINE .* by admin$/m),
    ])
    expect(offline.stderr).toContain('note: the policy is AUTOMATIC: db2 comes back by itself.')
    expect((await tapi('datasource', 'shun', 'db2', '--yes')).stdout).toMatch(/^changed +yes$/m)
    expect((await tapi('datasource', 'shun', 'db2', '--yes')).stdout).toMatch(/^changed +no$/m)
    expect(await tapi('datasource', 'online', 'db2', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[409 '),
    })
    expect((await tapi('policy', 'maintenance', '--yes')).stdout).toBe(
      'alpha: MAINTENANCE (only monitors), changed\n',
    )
    expect((await tapi('policy')).stdout).toMatch(/^alpha +MAINTENANCE /m)
  })

  it('a manager edits the map, and accepts the output of `map show --json`', async () => {
    const tapi = await installed('manager', {
      member: { service: 'alpha', datasource: 'db1', witness: false },
    })
    const added = await tapi('map', 'add-datasource', 'db3=replica@127.0.0.1:3', '--yes')
    expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^alpha +db3 .*\nchanged\n$/m)])
    const beta = await tapi('map', 'add-service', 'beta', '--datasource', 'x=primary@127.0.0.1:4', '--yes')
    expect(beta.code).toBe(0)
    expect(await tapi('service', 'status')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('it is in alpha, beta.'),
    })
    expect((await tapi('datasource', 'status', 'x')).stdout).toMatch(/^service +beta$/m)
    expect((await tapi('map', 'reset', '--yes')).stdout).not.toContain('beta')
    expect(await tapi('map', 'add-datasource', 'db2=replica@127.0.0.1:9', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[409 already-exists]'),
    })
  })

  it('a connector puts it on hold, takes it offline and brings it back online', async () => {
    const tapi = await installed('connector', { proxy })
    expect((await tapi('connector', 'onhold', '--yes')).stdout).toMatch(/^state +ONHOLD since .* by admin$/m)
    expect((await tapi('connector', 'offline', '--immediate', '--yes')).stdout).toMatch(/^state +OFFLINE /m)
    expect((await tapi('connector', 'online', '--yes')).stdout).toMatch(/^changed +yes$/m)
    expect((await tapi('connector', 'online', '--yes')).stdout).toMatch(/^changed +no$/m)
    const status = await tapi('status', '--component', 'connector')
    expect(status.stdout).toMatch(/^connector {2}ONLINE {2}0 active, 0 held, 0 created/m)
    expect((await tapi('map', 'show', '--component', 'connector')).stdout).toMatch(
      /^alpha +db1 +primary +UNKNOWN /m,
    )
  })

  it('an OFFLINE connector wraps its reason between words on a narrow terminal', async () => {
    const tapi = await installed('connector', { proxy }, 40)
    expect((await tapi('connector', 'offline', '--yes')).code).toBe(0)
    expect((await tapi('connector', 'status')).stdout).toMatch(/^state {4}OFFLINE since \S+\n {9}\S+ UTC/)
    const { code, stdout } = await tapi('health')
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^unready\n {2}the connector is OFFLINE since\n {4}[\d-]+T[\d:.]+Z\n/),
    ])
  })

  it('a connector without a database shows OFFLINE with a reason, and exits with 0', async () => {
    const tapi = await installed('connector', {})
    const words = 'no database configured: the connector opens no port for clients'
    expect(await tapi('connector', 'status')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(words),
    })
    const { code, stdout } = await tapi('status', '--component', 'connector')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^connector  OFFLINE  .*${words}`, 'm')),
    ])
    expect(await tapi('connector', 'online', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(words),
    })
  })

  it('a manager or replicator without a database explains what it serves, and exits with 0', async () => {
    const empty = { services: [{ name: 'alpha', datasources: [] }] }
    const manager = await installed('manager', {
      services: empty,
      member: { service: 'alpha', datasource: null, witness: false },
    })
    const managed = await manager('status', '--component', 'manager')
    expect([managed.code, managed.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^manager {2}OFFLINE {2}no database configured: the manager serves users and status only, /m,
      ),
    ])
    expect((await manager('datasource', 'status', 'db1', '--service', 'alpha')).stderr).toContain(
      'The service has no data source; no database configured: the manager serves users and status only.',
    )
    const replicator = await installed('replicator', {})
    const replicated = await replicator('status', '--component', 'replicator')
    expect([replicated.code, replicated.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^replicator {2}- {2}no database configured: the replicator controls no replication/m,
      ),
    ])
  })
})
