import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSentinel } from '../lab/scenario/sentinel.ts'
import { freePort } from '../support/ports.ts'
import { comeAsStrangers } from '../support/strangers.ts'
import { logIn, order } from './support/api.ts'
import type { Outcome } from './support/operator.ts'
import { createWorld, type Host, type World } from './support/world.ts'

/** Milliseconds that strangers may cost a command; one of them cost ten seconds for each of three components. */
const slack = 25_000

/** Connections without credentials to every port of a host, each opened again when it is closed. */
describe.skipIf(process.platform !== 'linux')('strangers at the ports of a host (needs Linux)', () => {
  const admin = makeSentinel()
  let world: World
  let host: Host
  let clients = 0
  let leave = (): void => undefined
  const quiet = new Map<string, number>()

  const timed = async (command: string, argv: readonly string[] = []): Promise<Outcome & { ms: number }> => {
    const begin = performance.now()
    const outcome = await world.muster(command, argv)
    expect(outcome, outcome.stdout + outcome.stderr).toMatchObject({ code: 0 })
    // time: compared with that of the same command without strangers, plus the limit of the suite.
    return { ...outcome, ms: performance.now() - begin }
  }
  const enter = () =>
    logIn({ operator: world.operator, host, component: 'connector', password: admin.password })

  const certificate = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const place = { port: host.ports.manager, host: host.address, rejectUnauthorized: false }
      const socket: TLSSocket = connectTls(place, () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.destroy()
      })
      socket.on('error', reject)
    })

  beforeAll(async () => {
    world = await createWorld(1)
    host = world.host('db1')
    clients = await freePort(host.address)
    world.operator.env.ADMIN_PASS = admin.password
    world.operator.env.DATABASE_PASS = makeSentinel().password
    world.describe({
      defaults: {
        'rest-api-admin-pass': '!env ADMIN_PASS',
        'datasource-type': 'mariadb',
        'replication-user': 'repl',
        'replication-password': '!env DATABASE_PASS',
        'replication-port': await freePort(host.address),
        'monitor-user': 'watch',
        'monitor-password': '!env DATABASE_PASS',
        'application-address': host.address,
        'application-port': clients,
      },
    })
    await timed('install')
    for (const command of ['restart', 'stop', 'start']) quiet.set(command, (await timed(command)).ms)
    const ports = [...Object.values(host.ports), clients]
    leave = comeAsStrangers(
      ports.map((port) => ({ host: host.address, port })),
      { each: 5 },
    ).leave
  })
  afterAll(async () => {
    leave()
    await world?.close()
  })

  it.each(['restart', 'stop', 'start'])('prolong no %s', async (command) => {
    const { ms } = await timed(command)
    expect(ms).toBeLessThan((quiet.get(command) ?? 0) + slack)
  })

  it('keep nobody from logging in', async () => {
    for (let times = 0; times < 5; times += 1) expect(await enter()).toBe(200)
  })

  it('do not postpone a new certificate', async () => {
    const before = await certificate()
    await timed('cert', ['renew', '--yes'])
    expect(await certificate()).not.toBe(before)
  })

  it('do not keep a connector from going offline and coming back', async () => {
    const login = {
      operator: world.operator,
      host,
      component: 'connector',
      password: admin.password,
    } as const
    expect(await order(login, 'connector/offline')).toBe(200)
    expect(await order(login, 'connector/online')).toBe(200)
  })

  it('hold no lock, and keep no installation from its end', async () => {
    await timed('lock', ['status'])
    await timed('install')
    expect(await enter()).toBe(200)
  })
})
