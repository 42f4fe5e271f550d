import { afterEach, describe, expect, it } from 'vitest'
import { get } from '../../../../src/client/calls.ts'
import type { AccessLevel } from '../../../../src/contracts/accessLevels.ts'
import type { DesiredUsers } from '../../../../src/deployment/users/viaApi/apiHost.ts'
import { askHost } from '../../../../src/deployment/users/viaApi/askHosts.ts'
import { userCalls } from '../../../../src/deployment/users/viaApi/changeHost.ts'
import { planChanges } from '../../../../src/deployment/users/viaApi/planChanges.ts'
import { apiOnlyTransport } from '../../../../src/deployment/users/viaApi/reachableApis.ts'
import { Secret } from '../../../../src/secrets/secret.ts'
import { apiAt, desired, type Fault, frontDoor, realHost, user } from './host.ts'

const { signal } = new AbortController()
const login = (name: string, password: string) => ({ user: name, password: new Secret(password) })
const doors: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(doors.splice(0).map((door) => door.close())))

/** A host behind a door, whose changes of some users go wrong, and what comes of a run and of its way back. */
async function failing(
  users: Readonly<Record<string, string>>,
  wanted: Partial<DesiredUsers>,
  faults: Readonly<Record<string, Fault>>,
  levels: Readonly<Record<string, AccessLevel>> = {},
) {
  const host = await realHost(users, levels)
  const [manager] = host.apis
  if (manager?.endpoint.kind !== 'tcp') throw new Error('no manager')
  const broken = new Map(Object.entries(faults))
  const door = await frontDoor(manager.endpoint.port, ({ method, body }) => {
    const [name, fault] = [...broken].find(([name]) => method === 'POST' && body.includes(`"${name}"`)) ?? []
    // Only the first call goes wrong.
    if (name !== undefined) broken.delete(name)
    return fault
  })
  doors.push(door)
  const whole = desired({ apis: [apiAt(door.port), ...host.apis.slice(1)], ...wanted })
  const asked = await askHost(whole, signal)
  const planned = planChanges(whole, asked)
  if (planned instanceof Error) throw planned
  const { steps, snapshot } = userCalls({ desired: whole, asked, changes: planned.changes })
  let failure: unknown
  for (const { step } of steps) {
    try {
      await step.apply(apiOnlyTransport('db1'))
    } catch (error) {
      failure = error
      break
    }
  }
  const said = await snapshot.restore?.(apiOnlyTransport('db1'))
  const takes = async (name: string, password: string): Promise<boolean> => {
    const caller = { endpoint: manager.endpoint, credentials: login(name, password), timeout: 25_000 }
    return !(
      'problem' in (await get(caller, '/api/v2/ping')) || 'problem' in (await get(caller, '/api/v2/users'))
    )
  }
  return { failure, said, takes, names: host.names(), levels: host.levels() }
}

describe('the restore of a host that is changed by API calls', () => {
  it('restores previous passwords and removes created users', async () => {
    const { failure, said, takes, names } = await failing(
      { admin: 'old', nightly: 'night' },
      {
        users: [user('admin', 'new'), user('nightly', 'new night'), user('one', '1'), user('two', '2')],
        logins: [login('admin', 'old'), login('nightly', 'wrong'), login('nightly', 'night')],
      },
      { two: 'refuse' },
    )
    expect(failure).toMatchObject({
      code: 'api-refused',
      message: expect.stringContaining('The disk is full.'),
    })
    expect(said).toBe(
      'Undone: create the administrator one, reset the password of nightly, reset the password of admin.',
    )
    expect(names).toEqual(['admin', 'nightly'])
    expect([await takes('admin', 'old'), await takes('nightly', 'night')]).toEqual([true, true])
    expect(await takes('admin', 'new')).toBe(false)
  })

  it('restores levels, also of the login that made the changes', async () => {
    const { said, levels } = await failing(
      { admin: 'right', ops: 'o', grafana: 'g' },
      {
        users: [
          user('admin', 'right', 'read'),
          user('ops', 'o'),
          user('grafana', 'new', 'operate'),
          user('two', '2', 'read'),
        ],
        logins: [login('grafana', 'g')],
      },
      { two: 'lose-answer' },
      { ops: 'operate', grafana: 'read' },
    )
    expect(said).toBe(
      'Undone: create the read user two, reset the password of grafana, set the access level operate for grafana, ' +
        'set the access level read for admin, set the access level full for ops.',
    )
    expect(levels).toEqual({ admin: 'full', ops: 'operate', grafana: 'read' })
  })

  it('also undoes a change without a response, and reports it as unknown', async () => {
    const { failure, said, names, takes } = await failing(
      { admin: 'old' },
      { users: [user('admin', 'new'), user('ops', '1')], logins: [login('admin', 'old')] },
      { ops: 'lose-answer' },
    )
    expect(failure).toMatchObject({
      code: 'connection-lost',
      message: expect.stringMatching(
        /\nCompleted there: reset the password of admin\.\nUnknown result: create the administrator ops\.$/,
      ),
    })
    expect(said).toBe('Undone: create the administrator ops, reset the password of admin.')
    expect([names, await takes('admin', 'old')]).toEqual([['admin'], true])
  })

  it('reports what remains: unknown passwords and removed users', async () => {
    const { said, names, takes } = await failing(
      { admin: 'unknown', stranger: 'strange', mallory: 'm' },
      {
        users: [user('admin', 'new'), user('ops', '1')],
        logins: [login('stranger', 'strange')],
        prune: true,
      },
      { mallory: 'lose-answer' },
    )
    expect(said).toEqual({
      partial:
        'Undone: remove the user stranger, create the administrator ops. On db1 mallory stays removed, because its password is unknown here and admin keeps the password of the file, because the previous one is unknown here.',
    })
    expect(names).toEqual(['admin', 'stranger'])
    expect([await takes('admin', 'new'), await takes('stranger', 'strange')]).toEqual([true, true])
  })

  it('keeps the first user of a host, because an API keeps the last user', async () => {
    const { said, names } = await failing(
      {},
      { users: [user('admin', 'right'), user('ops', '1'), user('two', '2')] },
      { two: 'refuse' },
    )
    expect(said).toEqual({
      partial:
        'Undone: create the administrator ops. On db1 admin stays, because an API keeps the last user with the access level full.',
    })
    expect(names).toEqual(['admin'])
  })

  it('tries few previous passwords, so that no user is locked out', async () => {
    const guesses = Array.from({ length: 9 }, (_, index) => login('nightly', `guess ${index}`))
    const { said, takes } = await failing(
      { admin: 'right', nightly: 'night' },
      {
        users: [user('admin', 'right'), user('nightly', 'new night'), user('ops', '1')],
        logins: [...guesses, login('nightly', 'night')],
      },
      { ops: 'refuse' },
    )
    expect(said).toEqual({
      partial: 'On db1 nightly keeps the password of the file, because the previous one is unknown here.',
    })
    expect(await takes('nightly', 'new night')).toBe(true)
  })

  it('changes nothing if nothing was changed', async () => {
    const wanted = { users: [user('admin', 'new')], logins: [login('admin', 'old')] }
    const { said, takes } = await failing({ admin: 'old' }, wanted, { admin: 'refuse' })
    expect([said, await takes('admin', 'old')]).toEqual(['No user was changed there.', true])
  })
})
