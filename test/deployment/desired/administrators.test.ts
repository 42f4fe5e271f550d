import { describe, expect, it } from 'vitest'
import { formatUserFile } from '../../../src/accounts/userFile.ts'
import {
  administrators,
  forgetReplaced,
  type HostLogin,
} from '../../../src/deployment/desired/administrators.ts'
import { emptyState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const cost = { ln: 4, r: 8, p: 1 }
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
    ...(changes.given === undefined ? {} : { given: new Secret(changes.given) }),
  }
}

describe('administrators', () => {
  it('makes a password where none is given, kept or anywhere installed, one for all hosts', async () => {
    const { users, made, state } = await administrators({
      logins: [login('db1'), login('db2')],
      state: emptyState,
      random,
      cost,
    })
    expect(made).toHaveLength(1)
    expect(users.get('db1')?.hash).toBeDefined()
    expect(users.get('db1')?.hash).toBe(users.get('db2')?.hash)
    expect(state.users.get('admin')?.password?.equals(made[0]?.password ?? new Secret(''))).toBe(true)
  })

  it('takes the kept one again, with the same hash', async () => {
    const first = await administrators({ logins: [login('db1')], state: emptyState, random, cost })
    const second = await administrators({
      logins: [login('db1', { installed: true })],
      state: first.state,
      random: (size) => Buffer.alloc(size, 9),
      cost,
    })
    expect(second.made).toEqual([])
    expect(second.users.get('db1')?.hash).toBe(first.users.get('db1')?.hash)
  })

  it('leaves a user as it is where it exists and no password is known', async () => {
    const { users, made } = await administrators({
      logins: [login('db1', { installed: true })],
      state: emptyState,
      random,
      cost,
    })
    expect(made).toEqual([])
    expect(users.get('db1')).toEqual({ user: 'admin' })
  })

  it('takes the given one, does not keep it, and knows the made one that it replaces', async () => {
    const kept = new Secret('made before')
    const state = withUser(emptyState, 'admin', { salt: Buffer.alloc(16, 1), password: kept })
    const result = await administrators({ logins: [login('db1', { given: 'mine' })], state, random, cost })
    const user = result.users.get('db1')
    expect(user?.password?.reveal()).toBe('mine')
    expect(user?.previous).toBe(kept)
    const after = forgetReplaced(result.state, user === undefined ? [] : [{ user }])
    expect(after.users.get('admin')?.password).toBeUndefined()
    expect(after.users.get('admin')?.salt).toEqual(Buffer.alloc(16, 1))
  })

  it('makes none where a host that is left alone may have the user with another', async () => {
    const left = [hostConfig({ name: 'db2' })]
    const known = withUser(emptyState, 'admin', { salt: Buffer.alloc(16, 1) })
    const options = { logins: [login('db1')], random, cost }
    const part = await administrators({ ...options, state: known, left })
    expect(part.made).toEqual([])
    expect(part.users.get('db1')).toEqual({ user: 'admin' })
    expect((await administrators({ ...options, state: known })).made).toHaveLength(1)
    expect((await administrators({ ...options, state: emptyState, left })).made).toHaveLength(1)
  })

  it('knows the replaced one as long as a host that is left alone may have it', async () => {
    const state = withUser(emptyState, 'admin', { salt: Buffer.alloc(16, 1), password: new Secret('made') })
    const result = await administrators({ logins: [login('db1', { given: 'mine' })], state, random, cost })
    const user = result.users.get('db1')
    const targets = user === undefined ? [] : [{ user }]
    const after = forgetReplaced(result.state, targets, [hostConfig({ name: 'db2' })])
    expect(after.users.get('admin')?.password?.reveal()).toBe('made')
  })

  it('gives hosts without an administrator none', async () => {
    const { admin: _, ...host } = hostConfig()
    const result = await administrators({
      logins: [{ host, facts: hostFacts() }],
      state: emptyState,
      random,
      cost,
    })
    expect([...result.users]).toEqual([])
    expect(result.made).toEqual([])
  })
})
