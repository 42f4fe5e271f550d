import { describe, expect, it } from 'vitest'
import { restoreUsers } from '../../../src/deployment/snapshot/userRestore.ts'
import { removedUsersStep } from '../../../src/deployment/steps/removedUsersStep.ts'
import { usersStep } from '../../../src/deployment/steps/usersStep.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostFacts, installationFacts, serviceSet } from '../../support/deploymentValues.ts'
import { type FakeTransport, fakeTransport } from '../../support/fakeTransport.ts'
import { hash } from './target.ts'

const other = hash.replace('B', 'C')
const users = ['admin', 'zoe', 'adam'].map((user) => ({ user, access: 'full', hash: other }))
const facts = hostFacts({
  installation: installationFacts({ users: new Secret(JSON.stringify({ version: 1, users })) }),
})
const { data, account } = serviceSet()
const common = { data, account, folder: '/opt/muster/current' }

/** A host that keeps what it was given on standard input. */
function host(script: string): { readonly transport: FakeTransport; readonly given: () => unknown } {
  let given: unknown
  const transport = fakeTransport({
    expect: [
      {
        script,
        result: (_, { stdin }) => {
          given = stdin instanceof Secret ? JSON.parse(stdin.reveal()) : stdin
          return { stdout: '{"changed":true}' }
        },
      },
    ],
  })
  return { transport, given: () => given }
}

describe('removedUsersStep', () => {
  const step = removedUsersStep({ ...common, names: ['zoe', 'adam', 'gone'] })

  it('lists the users to remove, and has no change without any', () => {
    expect(step.check(facts)).toEqual({
      kind: 'delete',
      summary: 'remove the users zoe and adam',
      details: ['users.json: zoe: [redacted] removed', 'users.json: adam: [redacted] removed'],
    })
    expect(removedUsersStep({ ...common, names: [] }).check(facts)).toBeUndefined()
  })

  it('removes users through standard input and restores them', async () => {
    const away = host(
      'setpriv --reuid=muster-alpha --regid=$(id -g muster-alpha) --clear-groups --no-new-privs -- /opt/muster/current/node /opt/muster/current/muster-api.cjs remove-user --file /var/lib/muster-alpha/users.json',
    )
    await step.apply(away.transport, facts)
    expect(away.given()).toEqual([
      { user: 'zoe', access: 'full', hash: other },
      { user: 'adam', access: 'full', hash: other },
    ])
    expect(away.transport.scripts.join()).not.toContain('scrypt')
    const back = host('muster-api.cjs take-back-user')
    const removed = ['zoe', 'adam', 'gone']
    await restoreUsers({ ...common, facts, removed })(back.transport, [step.id])
    expect(back.given()).toEqual([
      { user: 'zoe', before: other },
      { user: 'adam', before: other },
    ])
  })

  it('fails with the message of the program', async () => {
    const full = { code: 1, stderr: 'muster-api: the user was not removed: No space left on device\n' }
    const transport = fakeTransport({ expect: [{ script: 'remove-user', result: full }] })
    await expect(step.apply(transport, facts)).rejects.toMatchObject({
      code: 'step-failed',
      message: expect.stringContaining('No space left on device'),
      fix: 'Check /var/lib/muster-alpha/users.json on the host, then run the command again.',
    })
  })
})

describe('usersStep', () => {
  it('writes only users that differ, and restores exactly these', async () => {
    const wanted = [
      { user: 'admin', hash },
      { user: 'zoe', hash: other },
      { user: 'new', hash },
      { user: 'unknown' },
    ]
    const step = usersStep({ ...common, users: wanted, throughComponents: true })
    const put = host('muster-api.cjs put-user')
    await step.apply(put.transport, facts)
    expect(put.given()).toEqual([
      { user: 'admin', hash },
      { user: 'new', hash },
    ])
    const back = host('muster-api.cjs take-back-user')
    await restoreUsers({ ...common, facts, users: wanted })(back.transport, [step.id])
    expect(back.given()).toEqual([
      { user: 'admin', hash, before: other },
      { user: 'new', hash },
    ])
  })

  it('sends a level alone where the password stays or is unknown, and restores it', async () => {
    const wanted = [
      { user: 'admin', access: 'operate', hash: other },
      { user: 'zoe', access: 'read' },
      { user: 'adam', access: 'full' },
      { user: 'new', access: 'read', hash },
    ] as const
    const step = usersStep({ ...common, users: wanted })
    expect(step.check(facts)).toEqual({
      summary:
        'create the read user new, set the access level read for zoe, set the access level operate for admin',
      details: [
        'users.json: admin: access level full → operate',
        'users.json: zoe: access level full → read',
        'users.json: new: [redacted] new, access level read',
      ],
    })
    const put = host('muster-api.cjs put-user')
    await step.apply(put.transport, facts)
    expect(put.given()).toEqual([
      { user: 'admin', access: 'operate' },
      { user: 'zoe', access: 'read' },
      { user: 'new', access: 'read', hash },
    ])
    const back = host('muster-api.cjs take-back-user')
    await restoreUsers({ ...common, facts, users: wanted })(back.transport, [step.id])
    expect(back.given()).toEqual([
      { user: 'admin', hash: other, access: 'operate', before: other },
      { user: 'zoe', hash: other, access: 'read', before: other },
      { user: 'new', hash, access: 'read' },
    ])
  })

  it('restores a user with its previous level', async () => {
    const records = [{ user: 'zoe', access: 'read', hash: other }]
    const installation = installationFacts({
      users: new Secret(JSON.stringify({ version: 1, users: records })),
    })
    const back = host('muster-api.cjs take-back-user')
    const options = { ...common, facts: hostFacts({ installation }) }
    const users = [{ user: 'zoe', access: 'full', hash }] as const
    await restoreUsers({ ...options, users })(back.transport, ['users'])
    expect(back.given()).toEqual({ user: 'zoe', hash, before: other, beforeAccess: 'read' })
    await restoreUsers({ ...options, removed: ['zoe'] })(back.transport, ['removed-users'])
    expect(back.given()).toEqual([{ user: 'zoe', before: other, beforeAccess: 'read' }])
  })

  it('restores only started steps, newest first', async () => {
    const options = { ...common, facts, users: [{ user: 'admin', hash }], removed: ['zoe'] }
    const given: unknown[] = []
    const transport = fakeTransport({
      expect: [
        {
          script: 'take-back-user',
          result: (_, { stdin }) => {
            given.push(stdin instanceof Secret ? JSON.parse(stdin.reveal()) : stdin)
            return {}
          },
        },
      ],
    })
    await restoreUsers(options)(transport, ['users'])
    expect(given).toEqual([{ user: 'admin', hash, before: other }])
    await restoreUsers(options)(transport, ['removed-users', 'users'])
    expect(given.slice(1)).toEqual([[{ user: 'zoe', before: other }], { user: 'admin', hash, before: other }])
  })
})
