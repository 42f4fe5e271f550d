import { describe, expect, it } from 'vitest'
import { createHasher } from '../../../src/accounts/passwordHash.ts'
import { administrators, forgetReplaced } from '../../../src/deployment/desired/administrators.ts'
import { emptyState, type UserState, withUser } from '../../../src/deployment/state/clusterState.ts'
import {
  beginRotation,
  chooseNewPassword,
  endRotation,
} from '../../../src/deployment/state/passwordRotation.ts'
import { replacedPasswords } from '../../../src/deployment/users/replacedPasswords.ts'
import { passwordRotationNotes } from '../../../src/output/deployment/users.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'

const hash = createHasher({ ln: 1, r: 1, p: 1 })
const random = (size: number): Buffer => Buffer.alloc(size, 9)
const salt = Buffer.alloc(16, 1)
const now = new Date('2026-11-22T12:00:00Z')
const rotating = () =>
  beginRotation({ salt, password: new Secret('old') }, { password: new Secret('new'), now, random, hash })

describe('a file that still gives a replaced password', () => {
  it('is refused for each host that it is given for, with the date', async () => {
    const state = withUser(emptyState, 'admin', endRotation(await rotating(), { given: false }))
    const host = (name: string, passwords: Readonly<Record<string, string>>) => ({
      host: hostConfig({
        name,
        users: Object.keys(passwords).map((user) => ({ user, option: `rest-api-users.${user}` })),
      }),
      given: new Map(Object.entries(passwords).map(([user, password]) => [user, new Secret(password)])),
    })
    const given = [
      host('db1', { admin: 'old' }),
      host('db2', { admin: 'new' }),
      host('db3', { admin: 'old', ops: 'old' }),
    ]
    const problems = await replacedPasswords(given, state, hash)
    expect(
      problems.map(({ host, code, message, fix }) => `${host} ${code}: ${message}\n  ${fix}`),
    ).toMatchInlineSnapshot(`
      [
        "db1 password-replaced: the file still has the password of admin that was replaced on 2026-11-22
        Update the source of rest-api-users.admin to the new password, which is in secrets.json of the state directory; or remove the option to use that one.",
        "db3 password-replaced: the file still has the password of admin that was replaced on 2026-11-22
        Update the source of rest-api-users.admin to the new password, which is in secrets.json of the state directory; or remove the option to use that one.",
      ]
    `)
  })
})

describe('an installation while a rotation has not ended', () => {
  it('brings the new password, proves that the old one is refused, and ends it on all hosts', async () => {
    const state = withUser(emptyState, 'admin', await rotating())
    const host = hostConfig({ name: 'db1' })
    const login = { host, facts: hostFacts({ host: 'db1' }), given: new Map<string, Secret>() }
    const made = await administrators({ logins: [login], state, random, hash })
    const users = made.users.get('db1') ?? []
    expect(users.map(({ password, previous }) => [password?.reveal(), previous?.reveal()])).toEqual([
      ['new', 'old'],
    ])
    expect(made.state.users.get('admin')).toEqual(state.users.get('admin'))
    const after = forgetReplaced(made.state, [{ users }]).users.get('admin')
    expect([after?.password?.reveal(), after?.pending, after?.replaced?.length]).toEqual([
      'new',
      undefined,
      1,
    ])
    // A host that was left alone may still have the old one.
    expect(forgetReplaced(made.state, [{ users }], [hostConfig({ name: 'db2' })])).toEqual(made.state)
  })
})

describe('what a rotation does', () => {
  const words = (request: Partial<Parameters<typeof chooseNewPassword>[1]>): string => {
    const choice = chooseNewPassword('admin', { known: undefined, given: [], chosen: undefined, ...request })
    if (choice.kind === 'refuse') return `${choice.message}\n  ${choice.fix}`
    return 'password' in choice ? `${choice.kind} ${choice.password.reveal()}` : choice.kind
  }
  const kept: UserState = { salt, password: new Secret('old') }
  const given = [new Secret('old')]

  it('is make, take or go on; where the file has a source, somebody has to say', async () => {
    const known = await rotating()
    expect(words({})).toBe('make')
    expect(words({ known: kept })).toBe('make')
    expect(words({ known: kept, chosen: new Secret('mine') })).toBe('take mine')
    expect(words({ given, chosen: new Secret('mine') })).toBe('take mine')
    expect(words({ known })).toBe('go-on new')
    expect(words({ known, given })).toBe('go-on new')
    expect(words({ known, chosen: new Secret('new') })).toBe('go-on new')
    expect(words({ known, chosen: new Secret('third') })).toBe('take third')
    expect([words({ given }), words({ given, chosen: new Secret('old') })].join('\n')).toMatchInlineSnapshot(`
      "The file reads the password of admin from a source that muster cannot change.
        Use --new-password FILE, or --new-password - for standard input, and update the source that the file names.
      The new password of admin is the same as the current one.
        Choose another one, or run \`muster users apply\` to apply the current one to the hosts."
    `)
    expect(words({ known: kept, chosen: new Secret('old') })).toMatch(
      /^The new password of admin is the same/,
    )
  })

  it('tells which hosts are behind, and what the file has to follow', () => {
    expect(passwordRotationNotes({ user: 'admin', behind: [], given: false })).toEqual([])
    expect(
      passwordRotationNotes({ user: 'admin', behind: ['db1', 'db2'], given: true }).join('\n'),
    ).toMatchInlineSnapshot(`
      "db1 and db2 may still have the old password of admin; both are kept until they are verified to have the new one. Run \`muster users rotate admin\`, \`muster users apply\` or \`muster install\` to finish.
      Put the new password where the file takes it from: until then \`muster install\` and \`muster users apply\` refuse."
    `)
  })
})
