import { describe, expect, it } from 'vitest'
import { emptyState, withUser } from '../../src/deployment/state/clusterState.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { lastFullUser, leftUsers, reportLeftUsers, withoutLeftUsers } from '../../src/session/leftUsers.ts'
import { hash } from '../deployment/steps/target.ts'
import { hostConfig, hostFacts, installationFacts } from '../support/deploymentValues.ts'

const known = (user: string, access: string) => ({ user, access, hash })
const salt = Buffer.alloc(16)
const state = ['admin', 'carol'].reduce((made, user) => withUser(made, user, { salt }), emptyState)

/** A host whose file names these users, and which has admin, carol and guest. */
const having = (name: string, ...named: readonly ('read' | 'full')[]) => ({
  host: hostConfig({
    name,
    users: named.map((access, index) => ({ user: `new${index}`, option: 'rest-api-users', access })),
  }),
  facts: hostFacts({
    installation: installationFacts({
      users: new Secret(
        JSON.stringify({
          version: 1,
          users: [known('admin', 'full'), known('carol', 'read'), known('guest', 'read')],
        }),
      ),
    }),
  }),
})

describe('users that left the file', () => {
  it('are those that muster made', () => {
    expect(leftUsers(having('db1', 'full'), state)).toEqual(['admin', 'carol'])
    expect(leftUsers(having('db1', 'full'), emptyState)).toEqual([])
  })

  it('are named once for all hosts that have them, with their access', () => {
    let text = ''
    const context = { stderr: { write: (line: string) => (text += line) } }
    const reached = [having('db1', 'full'), having('db2', 'full')]
    reportLeftUsers({ context: context as never, config: { cluster: 'nova' }, state, reached })
    expect(text.split('\n')).toEqual([
      'note: the user admin left the file of nova, but db1 and db2 still accept it, with access full. To take it out: muster install --prune',
      'note: the user carol left the file of nova, but db1 and db2 still accept it, with access read. To take it out: muster install --prune',
      '',
    ])
  })

  it('stay where no other user of the host has full access', () => {
    expect(lastFullUser(having('db1', 'full'), state)).toBeUndefined()
    expect(lastFullUser(having('db1', 'read'), emptyState)).toBeUndefined()
    expect(lastFullUser(having('db1', 'read'), state)).toMatchObject({ host: 'db1', code: 'last-user' })
  })

  it('leave the state once no host of the file names them', () => {
    const host = hostConfig({ users: [{ user: 'carol', option: 'rest-api-users', access: 'read' }] })
    expect([...withoutLeftUsers(state, [host]).users.keys()]).toEqual(['carol'])
  })
})
