import { beforeAll, describe, expect, it } from 'vitest'
import { createHasher } from '../../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../../src/accounts/userFile.ts'
import {
  adoptHosts,
  adoptUsers,
  readInstalledSecrets,
} from '../../../src/deployment/certificates/adoptHosts.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import {
  type ClusterState,
  emptyState,
  trustedAuthorities,
} from '../../../src/deployment/state/clusterState.ts'
import { decodeState } from '../../../src/deployment/state/decodeState.ts'
import { encodeState } from '../../../src/deployment/state/stateFiles.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { madeState } from '../../support/madeState.ts'

const now = new Date('2026-03-10T12:00:00Z')
const names = ['db1', 'db2', 'db3']
const passwords = { keystore: new Secret('of the keys'), truststore: new Secret('of the trust') }
const layout = layoutOf('/opt/muster')

/** The state that is lost, and one of the same name that somebody else made. */
let lost: ClusterState
let foreign: ClusterState

beforeAll(async () => {
  const hosts = names.map((name) => ({ name }))
  lost = await madeState({ hosts, now, passwords })
  foreign = await madeState({ hosts, now })
})

const authorityOf = ({ authority }: ClusterState): string => authority?.certificate ?? ''

const revealed = ({ storePasswords: kept }: ClusterState): readonly (string | undefined)[] => [
  kept?.keystore.reveal(),
  kept?.truststore.reveal(),
]

/** A host as the installation of a state left it. */
function installedHost(name: string, from: ClusterState, trusts = [authorityOf(from)]) {
  const stores = from.hosts.get(name)
  if (stores === undefined) throw new Error(`no stores of ${name}`)
  const { key, chain } = stores
  const facts = hostFacts({
    hostname: name,
    machineId: name.slice(2).padStart(32, '0'),
    installation: installationFacts({ chain, currentRelease: '1.2.3' }),
  })
  const secrets = { key, authorities: trusts, storePasswords: passwords }
  return { host: hostConfig({ name }), facts, secrets }
}

type Installed = ReturnType<typeof installedHost>

const adopt = (
  unknown: readonly Installed[],
  options: { state?: ClusterState; reached?: readonly Installed[]; at?: Date } = {},
) =>
  adoptHosts({
    cluster: 'alpha',
    unknown,
    reached: options.reached ?? unknown,
    state: options.state ?? emptyState,
    given: () => ({}),
    now: options.at ?? now,
  })

describe('the adoption of hosts whose state directory is lost', () => {
  it('keeps their keys, certificates, machines and passwords of stores, and makes a new authority', async () => {
    const done = await adopt(names.map((name) => installedHost(name, lost)))
    if (!done.ok) throw new Error(done.problems.join())
    const { state } = done
    expect(done).toMatchObject({ made: true, adopted: names })
    expect(trustedAuthorities(state)).toEqual([authorityOf(state), authorityOf(lost)])
    expect(state.authority?.certificate).not.toBe(authorityOf(lost))
    expect(revealed(state)).toEqual(['of the keys', 'of the trust'])
    expect([...state.machines.keys()]).toEqual(names)
    for (const name of names) {
      const { key, chain, outside } = state.hosts.get(name) ?? {}
      expect(key?.reveal()).toBe(lost.hosts.get(name)?.key.reveal())
      expect([chain, outside]).toEqual([lost.hosts.get(name)?.chain, authorityOf(lost)])
    }
    expect(decodeState(encodeState(state), '.muster/alpha').hosts.size).toBe(3)
  })

  it('refuses the authority of one host that the others do not trust', async () => {
    const liar = installedHost('db2', foreign, [authorityOf(foreign), authorityOf(lost)])
    const done = await adopt([installedHost('db1', lost), liar, installedHost('db3', lost)])
    if (done.ok) throw new Error('it was adopted')
    expect(done.problems).toMatchObject([{ host: 'db2', code: 'authority-elsewhere' }])
    expect(done.problems[0]?.message).toContain('an authority that db1 and db3 do not trust')
  })

  it('refuses it also where the others were adopted before', async () => {
    const others = ['db1', 'db3'].map((name) => installedHost(name, lost))
    const before = await adopt(others)
    if (!before.ok) throw new Error(before.problems.join())
    const liar = installedHost('db2', foreign, [authorityOf(foreign), authorityOf(lost)])
    const done = await adopt([liar], { state: before.state, reached: [...others, liar] })
    if (done.ok) throw new Error('it was adopted')
    expect(done.problems).toMatchObject([{ host: 'db2', code: 'authority-elsewhere' }])
    const late = await adopt([installedHost('db2', lost)], { state: before.state, reached: others })
    expect(late).toMatchObject({ ok: true, made: false, adopted: ['db2'] })
  })

  it('leaves out a certificate that has expired or does not fit its key, whose host gets a new one', async () => {
    const other = { ...installedHost('db2', lost), secrets: installedHost('db1', lost).secrets }
    const done = await adopt([installedHost('db1', lost), other])
    if (!done.ok) throw new Error(done.problems.join())
    expect([...done.state.hosts.keys()]).toEqual(['db1'])
    expect(done.state.retired).toEqual([authorityOf(lost)])
    const late = await adopt([installedHost('db1', lost)], { at: new Date('2028-03-10T12:00:00Z') })
    expect(late).toMatchObject({ ok: true, adopted: [] })
  })

  it('makes new passwords of stores where the hosts have different ones', async () => {
    const other = installedHost('db2', lost)
    const storePasswords = { ...passwords, keystore: new Secret('another') }
    const done = await adopt([
      installedHost('db1', lost),
      { ...other, secrets: { ...other.secrets, storePasswords } },
    ])
    if (!done.ok) throw new Error(done.problems.join())
    const [keystore, truststore] = revealed(done.state)
    expect(truststore).toBe('of the trust')
    expect(['of the keys', 'another', undefined]).not.toContain(keystore)
  })
})

describe('the secrets of an installation', () => {
  const answer = (...texts: readonly string[]) =>
    fakeTransport({
      expect: [
        {
          script: 'share/tls/key.pem',
          result: { stdout: texts.map((text) => `${Buffer.from(text).toString('base64')}\n`).join('') },
        },
      ],
    })

  it('are its key, the authorities it trusts and the passwords of its stores', async () => {
    const json = JSON.stringify({ 'java-keystore-password': 'one', 'java-truststore-password': 'two' })
    const read = await readInstalledSecrets(answer('KEY', authorityOf(lost), json), layout)
    expect(read.key?.reveal()).toBe('KEY')
    expect(read.authorities).toEqual([authorityOf(lost)])
    expect(read.storePasswords.keystore?.reveal()).toBe('one')
    expect(read.storePasswords.truststore?.reveal()).toBe('two')
  })

  it('are absent where a file is missing or damaged', async () => {
    const nothing = { storePasswords: {} }
    expect(await readInstalledSecrets(answer('', '', ''), layout)).toEqual(nothing)
    expect(await readInstalledSecrets(answer('', 'no PEM', '[1]'), layout)).toEqual(nothing)
  })
})

describe('the adoption of users', () => {
  const hash = createHasher({ ln: 4, r: 8, p: 1 })
  const salt = Buffer.alloc(16, 3)

  it('keeps the hashes of the hosts, and names every password that it cannot know', async () => {
    const users = ['admin', 'ops', 'app', 'Grafana'].map((user) => ({ user, access: 'full' as const }))
    const logins = await Promise.all(
      ['db1', 'db2'].map(async (name) => {
        const secret = (user: string): Secret =>
          new Secret(user === 'app' && name === 'db2' ? 'changed' : `password of ${user}`)
        const records = await Promise.all(
          users.map(async (one) => ({ ...one, hash: await hash(secret(one.user), salt) })),
        )
        const text = new Secret(formatUserFile({ version: 1, users: records }))
        const wanted = ['admin', 'ops', 'app', 'later']
        return {
          host: hostConfig({
            name,
            users: wanted.map((user) => ({ user, option: 'rest-api-users', access: 'full' as const })),
          }),
          facts: hostFacts({ installation: installationFacts({ users: text }) }),
          given: new Map(['ops', 'app'].map((user) => [user, new Secret(`password of ${user}`)])),
        }
      }),
    )
    const { state, ...said } = await adoptUsers(logins, emptyState)
    expect(said).toEqual({
      adopted: ['admin', 'ops', 'app'],
      unknown: ['admin'],
      differing: [{ user: 'app', hosts: ['db2'] }],
      others: ['Grafana'],
    })
    expect([...state.users.values()]).toEqual([{ salt }, { salt }, { salt }])
  })
})
