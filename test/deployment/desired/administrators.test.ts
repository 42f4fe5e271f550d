import { describe, expect, it } from 'vitest'
import { createHasher, hashPassword } from '../../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../../src/accounts/userFile.ts'
import {
  decideAdministrators,
  dropReplacedPasswords,
  type HostLogin,
} from '../../../src/deployment/desired/administrators.ts'
import { emptyState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const cost = { ln: 4, r: 8, p: 1 }
const hash = createHasher(cost)
const random = (size: number): Buffer => Buffer.alloc(size, 7)

const installedHash = `$scrypt$ln=4,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

function login(name: string, changes: { given?: string; installed?: boolean } = {}): HostLogin {
  const users = formatUserFile({
    version: 1,
    users: [{ user: 'admin', access: 'full', hash: installedHash }],
  })
  return {
    host: hostConfig({ name }),
    facts: hostFacts({
      host: name,
      installation: installationFacts(changes.installed ? { users: new Secret(users) } : {}),
    }),
    given: new Map(changes.given === undefined ? [] : [['admin', new Secret(changes.given)]]),
  }
}

describe('administrators', () => {
  it('makes a password where none is given, kept or anywhere installed, one for all hosts', async () => {
    const { users, generated, state } = await decideAdministrators({
      logins: [login('db1'), login('db2')],
      state: emptyState,
      random,
      hash,
    })
    expect(generated).toHaveLength(1)
    expect(users.get('db1')?.[0]?.hash).toBeDefined()
    expect(users.get('db1')?.[0]?.hash).toBe(users.get('db2')?.[0]?.hash)
    expect(state.users.get('admin')?.password?.equals(generated[0]?.password ?? new Secret(''))).toBe(true)
  })

  it('takes the kept one again, with the same hash', async () => {
    const first = await decideAdministrators({ logins: [login('db1')], state: emptyState, random, hash })
    const second = await decideAdministrators({
      logins: [login('db1', { installed: true })],
      state: first.state,
      random: (size) => Buffer.alloc(size, 9),
      hash,
    })
    expect(second.generated).toEqual([])
    expect(second.users.get('db1')?.[0]?.hash).toBe(first.users.get('db1')?.[0]?.hash)
  })

  it('leaves a user as it is where it exists and no password is known', async () => {
    const { users, generated } = await decideAdministrators({
      logins: [login('db1', { installed: true })],
      state: emptyState,
      random,
      hash,
    })
    expect(generated).toEqual([])
    expect(users.get('db1')).toEqual([{ user: 'admin', access: 'full' }])
  })

  it('knows a password again that another program hashed, and takes another one for another', async () => {
    const given = (password: string, salt: number): Promise<string> =>
      hashPassword({ password: new Secret(password), salt: Buffer.alloc(16, salt), cost })
    const decided = async (installed: string) => {
      const file = formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash: installed }] })
      const facts = hostFacts({ installation: installationFacts({ users: new Secret(file) }) })
      const logins = [{ ...login('db1', { given: 'mine' }), facts }]
      const { users } = await decideAdministrators({ logins, state: emptyState, random, hash })
      const [admin] = users.get('db1') ?? []
      return [admin?.hash === installed, admin?.hashedOtherwise]
    }
    expect(await decided(await given('mine', 1))).toEqual([false, true])
    expect(await decided(await given('another', 1))).toEqual([false, undefined])
    expect(await decided(await given('another', 7))).toEqual([false, undefined])
    expect(await decided(await given('mine', 7))).toEqual([true, undefined])
  })

  it('takes the given one, does not keep it, and knows the made one that it replaces', async () => {
    const kept = new Secret('made before')
    const state = withUser(emptyState, 'admin', { salt: Buffer.alloc(16, 1), password: kept })
    const result = await decideAdministrators({
      logins: [login('db1', { given: 'mine' })],
      state,
      random,
      hash,
    })
    const users = result.users.get('db1') ?? []
    const [user] = users
    expect(user?.password?.reveal()).toBe('mine')
    expect(user?.previous).toBe(kept)
    const after = dropReplacedPasswords(result.state, [{ users }])
    expect(after.users.get('admin')?.password).toBeUndefined()
    expect(after.users.get('admin')?.salt).toEqual(Buffer.alloc(16, 1))
  })

  it('makes none where a host that is left alone may have the user with another', async () => {
    const left = [hostConfig({ name: 'db2' })]
    const known = withUser(emptyState, 'admin', { salt: Buffer.alloc(16, 1) })
    const options = { logins: [login('db1')], random, hash }
    const part = await decideAdministrators({ ...options, state: known, excluded: left })
    expect(part.generated).toEqual([])
    expect(part.users.get('db1')).toEqual([{ user: 'admin', access: 'full' }])
    expect((await decideAdministrators({ ...options, state: known })).generated).toHaveLength(1)
    expect(
      (await decideAdministrators({ ...options, state: emptyState, excluded: left })).generated,
    ).toHaveLength(1)
  })

  it('knows the replaced one as long as a host that is left alone may have it', async () => {
    const state = withUser(emptyState, 'admin', { salt: Buffer.alloc(16, 1), password: new Secret('made') })
    const result = await decideAdministrators({
      logins: [login('db1', { given: 'mine' })],
      state,
      random,
      hash,
    })
    const targets = [{ users: result.users.get('db1') ?? [] }]
    const after = dropReplacedPasswords(result.state, targets, [hostConfig({ name: 'db2' })])
    expect(after.users.get('admin')?.password?.reveal()).toBe('made')
  })

  it('decides for each user of a host by itself, in the order of the file', async () => {
    const users = ['admin', 'ops', 'nightly'].map(
      (user) => ({ user, option: `rest-api-users.${user}`, access: 'full' }) as const,
    )
    const { facts } = login('db1', { installed: true })
    const given = new Map([['ops', new Secret('given to ops')]])
    const options = {
      logins: [{ host: hostConfig({ users }), facts, given }],
      state: emptyState,
      random,
      hash,
    }
    const result = await decideAdministrators(options)
    expect(result.users.get('db1')?.map(({ user, password }) => [user, password?.reveal()])).toEqual([
      ['admin', undefined],
      ['ops', 'given to ops'],
      ['nightly', result.generated[0]?.password.reveal()],
    ])
    expect(result.generated.map(({ user }) => user)).toEqual(['nightly'])
    // The next run knows it and makes no other.
    const again = await decideAdministrators({ ...options, state: result.state })
    expect(again.generated).toEqual([])
    expect(again.users.get('db1')?.[2]?.hash).toBe(result.users.get('db1')?.[2]?.hash)
  })

  it('leaves what the state knows of a rotation as it is', async () => {
    const replaced = [{ at: '2026-01-01T00:00:00Z', mark: 'abc' }]
    const known = { salt: Buffer.alloc(16, 1), password: new Secret('made'), replaced }
    const state = withUser(emptyState, 'admin', known)
    const result = await decideAdministrators({
      logins: [login('db1', { given: 'mine' })],
      state,
      random,
      hash,
    })
    expect(result.state.users.get('admin')).toEqual(known)
    const after = dropReplacedPasswords(result.state, [{ users: result.users.get('db1') ?? [] }])
    expect(after.users.get('admin')).toEqual({ salt: known.salt, replaced })
  })

  it('makes a password also for a user that exists, where that is wanted', async () => {
    const options = { logins: [login('db1', { installed: true })], state: emptyState, random, hash }
    const { generated, users } = await decideAdministrators({ ...options, generate: true })
    expect(generated.map(({ user }) => user)).toEqual(['admin'])
    expect(users.get('db1')?.[0]?.hash).toBeDefined()
  })

  it('gives hosts without an administrator none', async () => {
    const host = hostConfig({ users: [] })
    const result = await decideAdministrators({
      logins: [{ host, facts: hostFacts(), given: new Map() }],
      state: emptyState,
      random,
      hash,
    })
    expect([...result.users]).toEqual([['db1', []]])
    expect(result.generated).toEqual([])
  })
})
