import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hashPassword } from '../../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../../src/accounts/userFile.ts'
import { type Authority, createAuthority } from '../../../src/certificates/authority.ts'
import { createOtherManagers } from '../../../src/components/manager/askManagers.ts'
import { openManager } from '../../../src/components/manager/manager.ts'
import { tryChannels } from '../../../src/components/tryChannels.ts'
import { managerRoutes } from '../../../src/contracts/managerRoutes.ts'
import { callOf } from '../../../src/contracts/routeCall.ts'
import type { FollowedManager, ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hangingServer } from '../../support/hangingServer.ts'
import { hostFiles } from '../../support/hostFiles.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testCost } from '../../support/testApi.ts'
import { settingsIn, start } from '../../support/testServer.ts'
import { installed } from './support.ts'

const now = new Date()
let authority: Authority
let stranger: Authority
beforeAll(async () => {
  authority = await createAuthority({ cluster: 'alpha', now })
  stranger = await createAuthority({ cluster: 'beta', now })
})

const tlsOf = (name: string, signer = authority) => hostFiles(name, { authority, signer })

/** The manager of another host, with all of its server, that checks no database. */
async function remote(
  name: string,
  more: { readonly signer?: Authority; readonly peers?: string[]; readonly speaksFor?: string } = {},
) {
  const folder = temporaryFolder()
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const settings = settingsIn(folder, {
    ...{ host: name, tls: await tlsOf(name, more.signer), allowedHosts: [name], services: installed },
    stateFile: join(folder, 'manager.json'),
    member: { service: 'alpha', datasource: more.speaksFor ?? name, witness: false },
    channel: { address: '127.0.0.1', port: 0 },
    peers: (more.peers ?? ['db1']).map((it) => ({ name: it, names: [it], leads: true as const })),
  })
  const hash = await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost: testCost })
  const users = formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] })
  writeFileSync(settings.usersFile, users, { mode: 0o600 })
  const opened = openManager(settings, { log })
  onTestFinished(() => opened.close())
  const server = await start(settings, log, { api: opened.api })
  const place: FollowedManager = { name, names: [name], address: '127.0.0.1', port: server.channelPort ?? 0 }
  return { place, lines, stop: () => server.stop() }
}

/** `limit` in milliseconds is short where one of them hangs, and no measure of those that answer elsewhere. */
async function asking(
  managers: readonly FollowedManager[],
  { tls, limit = 30_000 }: { readonly tls?: ServerSettings['tls']; readonly limit?: number } = {},
) {
  const limits = { routing: limit, hold: limit, release: limit, change: limit }
  const others = createOtherManagers({
    ...{ managers, tls: tls ?? (await tlsOf('db1')), limits },
  })
  onTestFinished(() => others.close())
  return others
}

const id = '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a11'
const order = {
  id,
  operation: 'switch',
  from: 'db1',
  to: 'db2',
  step: 'hold',
  by: 'admin',
  milliseconds: 8000,
} as const
const admin = new Secret(adminLogin)
const done = (name: string) => ({ name, changed: true, remarks: [] })
const writers = (words: Awaited<ReturnType<Awaited<ReturnType<typeof asking>>['routings']>>) =>
  words.map(({ routing, problem }) => {
    const writer = routing?.services[0]?.writer
    return writer?.datasource ?? writer?.reason ?? problem
  })

describe('the other managers of a service', () => {
  it('hold and release clients by the certificate of the host that asks, and say what they do', async () => {
    const managers = [await remote('db2'), await remote('db3')]
    const others = await asking(managers.map(({ place }) => place))
    expect(writers(await others.routings())).toEqual(['db1', 'db1'])
    expect(await others.hold({ ...order, service: 'alpha' })).toEqual([done('db2'), done('db3')])
    const words = await others.routings()
    expect(words.map(({ name }) => name)).toEqual(['db2', 'db3'])
    expect(writers(words)).toEqual(Array(2).fill('a switch from db1 to db2 is under way'))
    // They check no database, and believe no host alone who the primary is.
    expect(await others.release({ id, primary: 'db2', service: 'alpha' })).toMatchObject([
      { name: 'db2', code: 'wrong-state' },
      { name: 'db3', code: 'wrong-state' },
    ])
    expect(writers(await others.routings())).toEqual(Array(2).fill('a switch from db1 to db2 is under way'))
    expect(await others.release({ id, primary: null, service: 'alpha' })).toEqual([done('db2'), done('db3')])
    expect(writers(await others.routings())).toEqual(['db1', 'db1'])
  })

  it('say whether the replicators of their hosts were taken offline, as far as they answer', async () => {
    const [db2, db3] = [await remote('db2'), await remote('db3')]
    const others = await asking([db2.place, db3.place])
    await db3.stop()
    expect(await others.replications()).toEqual([
      { service: 'alpha', datasource: 'db2', isKnown: true, takenOffline: null },
    ])
    const liar = await remote('db4', { speaksFor: 'db2' })
    expect(await (await asking([liar.place])).replications(), 'db4 speaks for itself alone').toEqual([])
    const stranger = await asking([db2.place], { tls: await tlsOf('db7') })
    expect(await stranger.replications(), 'db7 is no host of the cluster').toEqual([])
  })

  it('are tried one by one: who answers, who does not run, and who is another host or lets this one not in', async () => {
    const [db2, db3] = [await remote('db2'), await remote('db3')]
    const foreign = await remote('db4', { signer: stranger })
    await db3.stop()
    const managers = [db2, db3, foreign].map(({ place }) => place)
    const port = (at: number): number => managers[at]?.port ?? 0
    expect(await tryChannels({ managers, tls: await tlsOf('db1') })).toEqual([
      { host: 'db2', port: port(0) },
      {
        host: 'db3',
        port: port(1),
        error: `The connection to https://127.0.0.1:${port(1)} was refused: nothing listens there.`,
      },
      { host: 'db4', port: port(2), error: expect.stringMatching(/certificate/i) },
    ])
    expect(await tryChannels({ managers: [db2.place], tls: await tlsOf('db7') })).toMatchObject([
      { host: 'db2', error: expect.stringMatching(/is for no host of the services of this manager/) },
    ])
    expect(await tryChannels({ tls: await tlsOf('db1') })).toEqual([])
  })

  it('answer why they do not', async () => {
    const [db2, db3] = [await remote('db2'), await remote('db3')]
    const others = await asking([db2.place, db3.place])
    const alone = await asking([db2.place])
    expect(await alone.hold({ ...order, service: 'alpha' })).toEqual([done('db2')])
    const another = { ...order, id: id.replace(/.$/, '2') }
    expect(await others.hold({ ...another, service: 'alpha' })).toEqual([
      {
        name: 'db2',
        code: 'operation-running',
        problem: `The manager of db2 answers: A switch of alpha from db1 to db2 is under way, at the step hold: ${id}, by admin.`,
      },
      done('db3'),
    ])
    expect((await others.hold({ ...order, service: 'beta' }))[0]?.problem).toMatch(
      /^The manager of db2 answers: The services map/,
    )
    const stranger = await asking([db2.place], { tls: await tlsOf('db7') })
    expect(await stranger.hold({ ...order, service: 'alpha' })).toMatchObject([
      { name: 'db2', problem: expect.stringMatching(/is for no host of the services of this manager/) },
    ])
  })

  it('make a change as they are asked to, and take it back', async () => {
    const [db2, db3] = [await remote('db2'), await remote('db3')]
    const others = await asking([db2.place, db3.place])
    const names = ['db2', 'db3']
    const route = managerRoutes.managerShun
    const statesOf = async () =>
      (await others.routings()).map(({ routing }) => routing?.services[0]?.datasources[1]?.state)
    for (const peers of ['check', 'alone'] as const) {
      const call = callOf(route, { service: 'alpha', datasource: 'db2' }, { query: { peers, change: id } })
      const [one, another] = await others.change({ route, call, names }, admin)
      expect([one, another]).toMatchObject([{ changed: peers === 'alone' }, { changed: peers === 'alone' }])
    }
    expect(await statesOf()).toEqual(['SHUNNED', 'SHUNNED'])
    expect(await others.undo({ id, names: ['db3'] }, admin)).toEqual([done('db3')])
    expect(await statesOf()).toEqual(['SHUNNED', 'UNKNOWN'])
    expect(await others.undo({ id, names: ['db3'] }, admin)).toMatchObject([{ code: 'not-found' }])
  })

  it('do not keep each other from answering where one is gone, hangs, or is another', async () => {
    const [db2, db3, db4] = [
      await remote('db2'),
      await remote('db3'),
      await remote('db4', { signer: stranger }),
    ]
    await db3.stop()
    const hung = await hangingServer('db5')
    const hanging = {
      name: 'db5',
      names: ['db5'] as string[],
      address: '127.0.0.1',
      port: hung.port,
    }
    const others = await asking([db3.place, db2.place, db4.place, hanging], { limit: 3000 })
    const held = await others.hold({ ...order, service: 'alpha' })
    expect(held.map(({ name, problem }) => [name, problem === undefined])).toEqual([
      ['db3', false],
      ['db2', true],
      ['db4', false],
      ['db5', false],
    ])
    expect(held[2]?.problem).toMatch(/certificate/)
    const words = await others.routings()
    expect(words.map(({ routing }) => routing !== undefined)).toEqual([false, true, false, false])
    expect(words[1]?.routing?.services[0]?.writer.switching).toEqual({ from: 'db1', to: 'db2' })
  })

  it('are not waited for where the host of a lost primary hangs, and are told all the same', async () => {
    const db2 = await remote('db2')
    const hung = await hangingServer('db5')
    const lost = { name: 'db5', names: ['db5'], address: '127.0.0.1', port: hung.port }
    // Without an end: a limit of its own is what ends the wait for it.
    const others = await asking([lost, db2.place], { limit: 600_000 })
    expect(await others.hold({ ...order, operation: 'failover', service: 'alpha' }, 'db5')).toEqual([
      done('db2'),
    ])
    expect(await others.release({ id, primary: null, service: 'alpha' }, 'db5')).toEqual([done('db2')])
    expect((await others.routings('db5')).map(({ routing }) => routing !== undefined)).toEqual([false, true])
  })

  it('tell nothing to a host that is none of their peers, and are not asked without a certificate', async () => {
    const db2 = await remote('db2', { peers: ['db7'] })
    const [word] = await (await asking([db2.place])).routings()
    expect([word?.routing, typeof word?.problem]).toEqual([undefined, 'string'])
    const tls = { key: '/none/key.pem', chain: '/none/chain.pem', authorities: '/none/authorities.pem' }
    const blind = await asking([db2.place], { tls })
    expect(writers(await blind.routings())).toEqual([expect.stringContaining('/none/authorities.pem')])
    expect((await blind.hold({ ...order, service: 'alpha' }))[0]?.problem).toContain('/none/authorities.pem')
  })
})
