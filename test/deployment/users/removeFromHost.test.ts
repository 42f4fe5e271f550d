import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/deployment/execution/execute.ts'
import { emptyState } from '../../../src/deployment/state/clusterState.ts'
import { removeFromHost } from '../../../src/deployment/users/removeFromHost.ts'
import { killer, memoryHost } from './memoryHost.ts'

const hash = `$scrypt$ln=4,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Removes `ops` from hosts with these users. */
async function remove(...hosts: readonly (readonly string[])[]) {
  const all = hosts.map((users, index) => {
    const host = memoryHost(`db${index + 1}`)
    for (const user of users) host.put(user, hash)
    return host
  })
  const { around } = killer(undefined)
  const work = all.map((host) =>
    removeFromHost({ cluster: 'alpha', surveyed: host.survey(around), state: emptyState, user: 'ops' }),
  )
  const outcomes = await execute({
    hosts: work.flatMap((one) => (one instanceof Error ? [] : [one])),
    emit: () => {},
    signal: new AbortController().signal,
    clock: () => 0,
  })
  return { work, outcomes, names: all.map((host) => host.names()) }
}

describe('a user that is taken off hosts', () => {
  it('is gone, and proved to be; who has no such user has nothing to do', async () => {
    const { outcomes, names } = await remove(['admin', 'ops', 'more'], ['admin'])
    expect(names).toEqual([['admin', 'more'], ['admin']])
    expect(outcomes).toMatchObject([
      { result: 'changed', applied: ['remove the user ops'], proved: 'removed from every API' },
      { result: 'unchanged', proved: 'removed from every API' },
    ])
  })

  it('stays where it is the only one', async () => {
    const { work, names } = await remove(['ops'])
    expect(names).toEqual([['ops']])
    expect(work[0]).toMatchObject({
      host: 'db1',
      code: 'last-user',
      message: 'ops is the only user of the host: without it, no login is possible',
      fix: 'Add another user to the file and run `muster users apply` first.',
    })
  })
})
