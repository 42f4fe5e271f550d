import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../../src/client/call.ts'
import { installedSet } from '../../../src/deployment/installedSet.ts'
import { unlockOnHost } from '../../../src/deployment/users/unlockOnHost.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { targetOf } from '../steps/target.ts'

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

describe('ending the lock-outs of a host', () => {
  it('asks every component over its private socket and says which had any', async () => {
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
  ])('fails where a component answers %j', async (answer, message) => {
    const { transport } = hostThat(() => answer)
    await expect(unlockOnHost(transport, { host, set, user: 'admin' })).rejects.toMatchObject({
      code: 'step-failed',
      message,
    })
  })
})
