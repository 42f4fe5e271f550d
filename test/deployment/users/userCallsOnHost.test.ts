import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../../src/client/call.ts'
import { execute } from '../../../src/deployment/execution/execute.ts'
import { installedSet } from '../../../src/deployment/installedSet.ts'
import { emptyState } from '../../../src/deployment/state/clusterState.ts'
import { removeFromHost, unlockOnHost } from '../../../src/deployment/users/userCallsOnHost.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { targetOf } from '../steps/target.ts'
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

describe('a user that is removed from hosts', () => {
  it('is removed and verified, without steps on a host without the user', async () => {
    const { outcomes, names } = await remove(['admin', 'ops', 'more'], ['admin'])
    expect(names).toEqual([['admin', 'more'], ['admin']])
    expect(outcomes).toMatchObject([
      { result: 'changed', applied: ['remove the user ops'], proved: 'removed from every API' },
      { result: 'unchanged', proved: 'removed from every API' },
    ])
  })

  it('is kept if it is the only one', async () => {
    const { work, names } = await remove(['ops'])
    expect(names).toEqual([['ops']])
    expect(work[0]).toMatchObject({
      host: 'db1',
      code: 'last-user',
      message: 'ops is the only user of the host: without it, no login is possible',
      fix: 'Give the file another user with the access level full and run `muster users apply` first.',
    })
  })
})

const target = targetOf()
const { host, data } = target
const set = { ...installedSet(target), data }
const changed = (value: boolean) => ({
  status: 200,
  body: { payloadType: 'BooleanPayload', payloadVersion: '1', payload: { value: true, changed: value } },
})

/** A host whose components answer so. */
function hostThat(answer: (id: string) => object) {
  const asked: CallRequest[] = []
  const transport = fakeTransport({
    expect: [
      {
        script: 'muster-api.cjs call',
        result: (_, { stdin }) => {
          asked.push(...JSON.parse(stdin instanceof Secret ? stdin.reveal() : '[]'))
          return { stdout: JSON.stringify(asked.map(({ id }) => ({ id, ...answer(id) }))) }
        },
      },
    ],
  })
  return { transport, asked }
}

describe('unlocking a user on a host', () => {
  it('calls every component over its private socket and returns those with a lock-out', async () => {
    const { transport, asked } = hostThat((id) => changed(id === 'connector'))
    expect(await unlockOnHost(transport, { host, set, user: 'admin' })).toEqual(['connector'])
    expect(
      asked.map(({ method, path, target, credentials, body }) => [method, path, target, credentials, body]),
    ).toEqual(
      host.apis.map(({ component }) => [
        'POST',
        '/api/v2/unlock?i-am-sure=true',
        { socket: data.socket(component) },
        undefined,
        { payloadType: 'StringPayload', payloadVersion: '1', payload: { value: 'admin' } },
      ]),
    )
  })

  it.each([
    [{ status: 404, body: {} }, 'the manager runs a release that cannot unlock users'],
    [{ status: 200, body: 'junk' }, 'the manager answered 200 when asked to unlock the user'],
    [
      { error: { code: 'no-socket', message: 'x' } },
      'the manager gave no answer (no-socket) when asked to unlock the user',
    ],
  ])('fails if a component responds %j', async (answer, message) => {
    const { transport } = hostThat(() => answer)
    await expect(unlockOnHost(transport, { host, set, user: 'admin' })).rejects.toMatchObject({
      code: 'step-failed',
      message,
    })
  })
})
