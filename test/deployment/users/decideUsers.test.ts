import { describe, expect, it } from 'vitest'
import { createHasher, hashPassword } from '../../../src/accounts/passwordHash.ts'
import { emptyState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { beginRotation, endRotation } from '../../../src/deployment/state/passwordRotation.ts'
import { decideUsers, extraNotes, type UsersHost } from '../../../src/deployment/users/decideUsers.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const cost = { ln: 4, r: 8, p: 1 }
const hash = createHasher(cost)
const random = (size: number): Buffer => Buffer.alloc(size, 7)
const wanted = ['admin', 'ops'].map(
  (user) => ({ user, option: `rest-api-users.${user}`, access: 'full' }) as const,
)

async function hostWith(
  name: string,
  users: readonly string[],
  changes: { readonly given?: readonly (readonly [string, string])[]; readonly bare?: boolean } = {},
): Promise<UsersHost> {
  const hash = await hashPassword({ password: new Secret('unknown'), salt: Buffer.alloc(16), cost })
  const records = users.map((user) => ({ user, access: 'full', hash }))
  return {
    host: hostConfig({ name, users: wanted }),
    facts: hostFacts({
      host: name,
      installation: installationFacts(
        changes.bare === true
          ? {}
          : {
              currentRelease: '1.0.0-a',
              applied: new Map([['manager', 'digest']]),
              users: new Secret(JSON.stringify({ version: 1, users: records })),
            },
      ),
    }),
    given: new Map((changes.given ?? []).map(([user, password]) => [user, new Secret(password)])),
  }
}

const decide = (hosts: readonly UsersHost[], changes: Partial<Parameters<typeof decideUsers>[0]> = {}) =>
  decideUsers({ hosts, excluded: [], state: emptyState, generate: false, random, hash, ...changes })

describe('decideUsers', () => {
  it('returns users of a host that the file does not name, unchanged', async () => {
    const decided = await decide([await hostWith('db1', ['admin', 'zoe', 'ops', 'adam'])])
    expect(decided.ok && decided.hosts[0]).toMatchObject({
      extra: ['zoe', 'adam'],
      users: [{ user: 'admin' }, { user: 'ops' }],
    })
  })

  it('rejects hosts without an installation and users with an unknown password', async () => {
    const bare = await decide([await hostWith('db1', ['admin']), await hostWith('db2', [], { bare: true })])
    expect(bare).toMatchObject({
      problems: [
        {
          host: 'db2',
          code: 'not-installed',
          message: 'no complete installation in /opt/muster',
          fix: 'Install it with `muster install --host db2`, or exclude it with --host.',
        },
      ],
    })
    const some = await decide([await hostWith('db1', ['admin', 'ops']), await hostWith('db2', ['admin'])])
    expect(some).toMatchObject({
      problems: [
        {
          host: 'db2',
          code: 'password-needed',
          message: 'the user ops exists on other hosts, but its password is unknown here',
          fix: 'Set rest-api-users.ops: this host must get the same password as the others.',
        },
      ],
    })
  })

  it('generates missing passwords on request', async () => {
    const hosts = [await hostWith('db1', ['admin', 'ops']), await hostWith('db2', ['admin'])]
    const decided = await decide(hosts, { generate: true })
    expect(decided.ok && decided.generated.map(({ user }) => user)).toEqual(['admin', 'ops'])
    expect(decided.ok && decided.hosts.every(({ users }) => users.every(({ hash }) => hash))).toBe(true)
  })

  it('rejects a password in the file that a rotation replaced', async () => {
    const now = new Date('2026-03-04T05:06:07Z')
    const rotated = await beginRotation(
      { salt: random(16) },
      { password: new Secret('new'), old: [new Secret('old')], now, random, hash },
    )
    const state = withUser(emptyState, 'ops', endRotation(rotated, { given: true }))
    const hosts = (password: string) => hostWith('db1', ['admin', 'ops'], { given: [['ops', password]] })
    expect(await decide([await hosts('old')], { state })).toMatchObject({
      problems: [
        {
          code: 'password-replaced',
          message: 'the file still has the password of ops that was replaced on 2026-03-04',
        },
      ],
    })
    expect(await decide([await hosts('new')], { state })).toMatchObject({ ok: true })
  })

  it('combines hosts with the same extra users in one note', () => {
    const extra = (name: string, ...users: readonly string[]) => ({
      host: hostConfig({ name }),
      extra: users,
    })
    expect(
      extraNotes([extra('db1', 'zoe'), extra('db2'), extra('db3', 'zoe'), extra('db4', 'a', 'b')]),
    ).toEqual([
      'db1 and db3 have zoe, not in the file; --prune would remove them',
      'db4 has a and b, not in the file; --prune would remove them',
    ])
  })
})
