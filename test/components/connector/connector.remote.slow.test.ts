import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../../src/accounts/userFile.ts'
import { serve } from '../../../src/api/serve.ts'
import { type Authority, createAuthority } from '../../../src/certificates/authority.ts'
import { issueLeaf } from '../../../src/certificates/leaf.ts'
import { managerRoutes } from '../../../src/contracts/managerRoutes.ts'
import type { FollowedManager, ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { routed, routingOf, type StandInManager, standInManager } from '../../support/standInManager.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testCost } from '../../support/testApi.ts'
import { connectorSettings, dataSource, testConnector } from '../../support/testConnector.ts'
import { settingsIn } from '../../support/testServer.ts'

const now = new Date()
let authority: Authority
let stranger: Authority
beforeAll(async () => {
  authority = await createAuthority({ cluster: 'alpha', now })
  stranger = await createAuthority({ cluster: 'beta', now })
})

/** Files of a host's certificate, and of the authority that it trusts. */
async function tlsOf(
  folder: string,
  names: readonly string[],
  signer = authority,
): Promise<ServerSettings['tls']> {
  const { key, chain } = await issueLeaf({ authority: signer, names, addresses: [], lifetimeDays: 2, now })
  const paths = { key: 'key.pem', chain: 'chain.pem', authorities: 'authorities.pem' }
  writeFileSync(join(folder, paths.key), key.reveal())
  writeFileSync(join(folder, paths.chain), chain)
  writeFileSync(join(folder, paths.authorities), authority.certificate)
  return {
    key: join(folder, paths.key),
    chain: join(folder, paths.chain),
    authorities: join(folder, paths.authorities),
  }
}

/** A manager on a host of its own; what its map calls got stands in `logins`. */
async function remoteManager(
  name: string,
  more: { readonly signer?: Authority; readonly peers?: string[] } = {},
) {
  const { signer, peers = ['app1'] } = more
  const folder = temporaryFolder()
  const settings = settingsIn(folder, {
    ...{ host: name, tls: await tlsOf(folder, [name], signer), allowedHosts: [name] },
    channel: { address: '127.0.0.1', port: 0 },
    peers: peers.map((it) => ({ name: it, names: [it] })),
  })
  const hash = await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost: testCost })
  writeFileSync(
    settings.usersFile,
    formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] }),
    {
      mode: 0o600,
    },
  )
  const calls: unknown[] = []
  const manager = standInManager(settings, [
    serve(managerRoutes.managerReset, ({ caller }) => {
      calls.push(caller)
      return { services: [], changed: true }
    }),
  ])
  const server = await manager.start()
  const place: FollowedManager = { name, names: [name], address: '127.0.0.1', port: server.channelPort ?? 0 }
  return { ...manager, calls, place }
}

async function scene(more: { readonly names?: readonly string[]; readonly managerTimeout?: number } = {}) {
  const [db1, db2] = [await standIn('db1'), await standIn('db2')]
  const [first, second] = [dataSource(db1), dataSource(db2, 'replica')]
  const toFirst = routingOf([routed(first), routed(second)])
  const toSecond = routingOf([routed(dataSource(db1, 'replica')), routed(dataSource(db2))])
  const connectorTo = async (...managers: readonly FollowedManager[]) => {
    const folder = temporaryFolder()
    const settings = connectorSettings([first, second], { folder, managers, host: 'app1' })
    const { proxy } = settings
    if (!proxy) throw new Error('no proxy')
    return testConnector({
      ...settings,
      tls: await tlsOf(folder, more.names ?? ['app1']),
      proxy: { ...proxy, managerTimeout: more.managerTimeout ?? 60_000 },
    })
  }
  return { db1, db2, toFirst, toSecond, connectorTo }
}

const readiness = async ({ call }: Awaited<ReturnType<typeof testConnector>>): Promise<[number, string]> => {
  const { statusCode, body } = await call({ url: '/health/ready', headers: { authorization: adminLogin } })
  return [statusCode, body]
}

const stopAll = (...managers: readonly StandInManager[]): Promise<unknown> =>
  Promise.all(managers.map((manager) => manager.stop()))

describe('a connector on a host without a manager', () => {
  it('follows the managers of other hosts, to which its certificate proves it', async () => {
    const { toFirst, toSecond, connectorTo } = await scene()
    const [one, two] = [await remoteManager('db1'), await remoteManager('db2')]
    for (const manager of [one, two]) manager.say(toSecond)
    const connector = await connectorTo(one.place, two.place)
    await (await connector.client()).sees('db2 greets')
    expect([one.followers(), two.followers()]).toEqual([1, 1])
    for (const manager of [one, two]) manager.say(toFirst)
    await eventually(async () => expect((await connector.get('status'))[1].reason).toBeNull())
    await (await connector.client()).sees('db1 greets')
    // Nothing is lost with one of them.
    await one.stop()
    await (await connector.client()).sees('db1 greets')
    expect(await readiness(connector)).toEqual([200, 'ready\n'])
  })

  it('lets clients wait while its managers disagree about the writer, and says who says what', async () => {
    const { toFirst, toSecond, connectorTo } = await scene()
    const [one, two] = [await remoteManager('db1'), await remoteManager('db2')]
    for (const manager of [one, two]) manager.say(toFirst)
    const connector = await connectorTo(one.place, two.place)
    two.say(toSecond)
    await eventually(async () => expect((await readiness(connector))[0]).toBe(503))
    expect((await readiness(connector))[1]).toContain('managers disagree: db1 says db1, db2 says db2')
    const client = await connector.client()
    await connector.until({ held: 1 })
    one.say(toSecond)
    await client.sees('db2 greets')
  })

  it('takes new clients for a time without managers, then none, and again when one is back', async () => {
    const { toFirst, connectorTo } = await scene({ managerTimeout: 300 })
    const one = await remoteManager('db1')
    one.say(toFirst)
    const connector = await connectorTo(one.place)
    const running = await connector.client()
    await running.sees('db1 greets')
    await stopAll(one)
    await eventually(async () => expect((await readiness(connector))[0]).toBe(503))
    const refusal = await connector.refusal()
    expect(refusal.message).toMatch(
      /^The connector takes no new connections: no manager answers since \S+Z, which is longer than the 0.3 s that connector-manager-timeout allows\.$/,
    )
    expect((await connector.get('status'))[1].reason).toMatch(
      /no manager answers since \S+Z, so new connections are refused \(/,
    )
    running.socket.write('still here')
    await running.sees('STILL HERE')
    const metrics = await connector.call({ url: '/metrics', headers: { authorization: adminLogin } })
    expect(metrics.body).toContain('muster_connector_connections_refused_total{reason="no-manager"} 1')

    const again = standInManager({ ...one.settings, channel: { address: '127.0.0.1', port: one.place.port } })
    again.say(toFirst)
    await again.start()
    await eventually(async () => expect(await readiness(connector)).toEqual([200, 'ready\n']))
    await (await connector.client()).sees('db1 greets')
  })

  it.each([
    [
      'shows a certificate of another authority',
      () => remoteManager('db1', { signer: stranger }),
      /not signed by an authority/,
    ],
    ['shows the certificate of another host', () => remoteManager('db7'), /is for .*db7.*, not for db1/],
    ['does not know this host', () => remoteManager('db1', { peers: ['app7'] }), /answers 401/],
  ])('does not believe a manager, and says why, that %s', async (_what, make, words) => {
    const { toSecond, connectorTo } = await scene()
    const manager = await make()
    manager.say(toSecond)
    const connector = await connectorTo({ ...manager.place, name: 'db1', names: ['db1'] })
    // Readers go by what was installed, writers by nothing.
    await (await connector.client('replica')).sees('db2 greets')
    await connector.client()
    await connector.until({ held: 1 })
    const [, { reason }] = await connector.get('status')
    expect(reason).toMatch(/^no manager has answered since the connector started/)
    expect(reason).toMatch(words)
    expect(manager.followers()).toBe(0)
  })

  it('follows nobody with a certificate of another host', async () => {
    const { toSecond, connectorTo } = await scene({ names: ['app7'] })
    const manager = await remoteManager('db1')
    manager.say(toSecond)
    const connector = await connectorTo(manager.place)
    expect((await connector.get('status'))[1].reason).toMatch(/answers 401/)
  })

  it('passes map calls on with the login of their caller, and none that has no login', async () => {
    const { toFirst, connectorTo } = await scene()
    const manager = await remoteManager('db1')
    manager.say(toFirst)
    const connector = await connectorTo(manager.place)
    expect(await connector.post('reset')).toEqual([200, { services: [], changed: true }])
    expect(manager.calls).toEqual([{ kind: 'user', user: 'admin', access: 'full' }])
    // Its word was asked for anew before the answer.
    expect(manager.opened()).toBe(2)
    const reset = connector.opened.api.served.find(({ route }) => route.name === 'connectorReset')
    const call = { caller: { kind: 'socket' }, body: null, authorization: undefined, audit: () => undefined }
    await expect(Promise.resolve(reset?.handle(call as never, {} as never))).rejects.toMatchObject({
      code: 'follows-manager',
      message: expect.stringContaining('the manager of db1'),
    })
    expect(manager.calls).toHaveLength(1)
  })
})
