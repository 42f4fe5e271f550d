import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../src/client/call.ts'
import type { Target } from '../../src/deployment/target.ts'
import { verifyHost } from '../../src/deployment/verifyHost.ts'
import { Secret } from '../../src/secrets/secret.ts'
import type { ListeningPlace } from '../../src/transport/transport.ts'
import { type FakeTransport, fakeTransport } from '../support/fakeTransport.ts'
import { targetOf } from './steps/target.ts'

const target = targetOf()
const replaced: Target = {
  ...target,
  users: [{ user: 'admin', password: new Secret('the new'), previous: new Secret('the old') }],
}

/** A host whose APIs answer each call with the status that this says. */
function hostThat(statusOf: (request: CallRequest) => number | string): {
  readonly host: FakeTransport
  readonly requests: () => readonly CallRequest[]
} {
  let requests: readonly CallRequest[] = []
  const host = fakeTransport({
    expect: [
      {
        script: 'muster-api.cjs call',
        result: (_, { stdin }) => {
          requests = JSON.parse(stdin instanceof Secret ? stdin.reveal() : '[]')
          const results = requests.map((request) => {
            const said = statusOf(request)
            const { id } = request
            return typeof said === 'number'
              ? { id, status: said, body: {} }
              : { id, error: { code: 'refused', message: said } }
          })
          return { stdout: JSON.stringify(results) }
        },
      },
      { script: 'journalctl', result: { stdout: 'cannot listen\nstopping\n' } },
    ],
  })
  return { host, requests: () => requests }
}

/** Time that passes only while somebody waits; `meanwhile` is told how long it has been. */
function waitingClock(meanwhile: (milliseconds: number) => void = () => {}) {
  let now = 0
  const waits: number[] = []
  const wait = async (milliseconds: number): Promise<void> => {
    now += milliseconds
    waits.push(milliseconds)
    meanwhile(now)
  }
  return { clock: { now: () => now, wait }, waits }
}

describe('the verification of a locked-out user', () => {
  it('waits until the lock-out ends and then succeeds', async () => {
    const state = { locked: true }
    const { host } = hostThat(({ id }) => (id === 'connector admin' && state.locked ? 429 : 200))
    const { clock, waits } = waitingClock((time) => {
      state.locked = time < 300_000
    })
    expect(await verifyHost(host, target, clock)).toBe('logins verified')
    expect(waits).toEqual(Array(30).fill(10_000))
  })

  it('waits no longer than a lock-out lasts, and the fix names the command that ends it', async () => {
    const { host } = hostThat(({ id }) => (id === 'manager admin' ? 429 : 200))
    const { clock, waits } = waitingClock()
    await expect(verifyHost(host, target, clock)).rejects.toMatchObject({
      code: 'login-not-proved',
      message: expect.stringContaining('has locked out admin'),
      fix: expect.stringContaining('`muster users unlock admin`'),
    })
    expect(waits).toHaveLength(31)
  })
})

describe('verifyHost', () => {
  it('logs in to every API at its configured address, trusting the cluster’s authority alone', async () => {
    const { host, requests } = hostThat(() => 200)
    expect(await verifyHost(host, target)).toBe('logins verified')
    expect(
      requests().map(({ id, path, target: place, credentials }) => [id, path, place, credentials]),
    ).toEqual(
      [
        ['manager', 8090],
        ['connector', 8096],
        ['replicator', 8097],
      ].map(([id, port]) => [
        `${id} admin`,
        '/api/v2/user/admin',
        { address: '127.0.0.1', port, authorities: ['the authority'] },
        { user: 'admin', password: 'the password' },
      ]),
    )
    expect(host.scripts.join('')).not.toContain('the password')
  })

  it('gives a response as much time as a start, because a host checks all passwords at once', async () => {
    const { host, requests } = hostThat(() => 200)
    await verifyHost(host, target)
    for (const { timeout, retryUntil } of requests()) expect([timeout, retryUntil]).toEqual([20_000, 20_000])
  })

  it('calls over the connection only if all components are running', async () => {
    const { host, requests } = hostThat(() => 200)
    const dialled: unknown[] = []
    const leading = {
      ...host,
      dial: async (place: ListeningPlace) => {
        dialled.push(place)
        return new Error('administratively prohibited')
      },
    }
    await verifyHost(leading, target)
    expect(dialled).toEqual([])
    await verifyHost(leading, { ...target, running: true })
    expect(dialled).toHaveLength(3)
    // What the connection does not answer the host does.
    expect(requests()).toHaveLength(3)
  })

  it('reports only responses if no password is known', async () => {
    const { host, requests } = hostThat(() => 200)
    expect(await verifyHost(host, { ...target, users: [] })).toBe('every API answers')
    expect(requests().map(({ path, credentials }) => [path, credentials])).toEqual([
      ['/api/v2/ping', undefined],
      ['/api/v2/ping', undefined],
      ['/api/v2/ping', undefined],
    ])
  })

  it('logs in with each known password and names the others', async () => {
    const { host, requests } = hostThat(() => 200)
    const users = [...target.users, { user: 'ops', password: new Secret('of ops') }, { user: 'nightly' }]
    expect(await verifyHost(host, { ...target, users })).toBe(
      'logins verified, except nightly: password unknown here',
    )
    expect(requests().map(({ id, credentials }) => [id, credentials?.password])).toEqual(
      ['manager', 'connector', 'replicator'].flatMap((name) => [
        [`${name} admin`, 'the password'],
        [`${name} ops`, 'of ops'],
      ]),
    )
    const shut = hostThat(({ credentials }) => (credentials?.user === 'ops' ? 401 : 200))
    await expect(verifyHost(shut.host, { ...target, users })).rejects.toMatchObject({
      message: expect.stringContaining('answered 401 instead of accepting the login of ops'),
    })
  })

  it('calls the socket of a disabled API', async () => {
    const apis = target.host.apis.map((api) => ({ ...api, enabled: false }))
    const { host, requests } = hostThat(() => 200)
    await verifyHost(host, targetOf({ host: { apis } }))
    expect(requests()[0]?.target).toEqual({ socket: '/run/muster-alpha/manager/api.sock' })
  })

  it('requires that the replaced password is rejected, over the socket', async () => {
    const old = (request: CallRequest) => request.credentials?.password === 'the old'
    const good = hostThat((request) => (old(request) ? 401 : 200))
    await verifyHost(good.host, replaced)
    expect(
      good
        .requests()
        .filter(old)
        .map(({ id, target: place }) => [id, place]),
    ).toEqual([
      ['manager admin old', { socket: '/run/muster-alpha/manager/api.sock' }],
      ['connector admin old', { socket: '/run/muster-alpha/connector/api.sock' }],
      ['replicator admin old', { socket: '/run/muster-alpha/replicator/api.sock' }],
    ])
    await expect(verifyHost(hostThat(() => 200).host, replaced)).rejects.toMatchObject({
      code: 'old-password-accepted',
      message:
        'the manager at 127.0.0.1:8090 answered 200 to the replaced password of admin instead of rejecting it',
    })
  })

  it.each([
    [401, 'answered 401 instead of accepting the login of admin'],
    ['nothing listens there', 'gave no answer: nothing listens there'],
  ])('fails with the component, its response and the end of its log: %s', async (said, words) => {
    const { host } = hostThat(({ id }) => (id === 'connector admin' ? said : 200))
    await expect(verifyHost(host, target)).rejects.toMatchObject({
      host: 'db1',
      code: 'login-not-proved',
      message: `the connector at 127.0.0.1:8096 ${words}. Its log ends:\ncannot listen\nstopping`,
    })
  })

  it("requires that each API presents the certificate of the host's files", async () => {
    const demanding: Target = { ...target, leaf: 'AB:CD' }
    const shows = (shown: object) => {
      const results = (requests: readonly CallRequest[]) =>
        requests.map(({ id }) => ({
          id,
          status: 200,
          body: {},
          ...(id === 'connector admin' ? shown : good),
        }))
      const good = { certificate: 'AB:CD' }
      const expected = {
        script: 'muster-api.cjs call',
        result: (_: string, { stdin }: { readonly stdin?: unknown }) => ({
          stdout: JSON.stringify(results(JSON.parse(stdin instanceof Secret ? stdin.reveal() : '[]'))),
        }),
      }
      return fakeTransport({
        expect: [expected, { script: 'journalctl', result: { stdout: 'it has expired' } }],
      })
    }
    const { host, requests } = hostThat(() => 200)
    await expect(verifyHost(host, demanding)).rejects.toThrow()
    expect(requests().map(({ target: place }) => 'certificate' in place && place.certificate)).toEqual(
      Array(3).fill('AB:CD'),
    )
    expect(await verifyHost(shows({ certificate: 'AB:CD' }), demanding)).toBe('logins verified')
    await expect(verifyHost(shows({}), demanding)).rejects.toMatchObject({
      code: 'certificate-not-shown',
      message:
        'the connector at 127.0.0.1:8096 runs a release that cannot report the certificate it serves. Its log ends:\nit has expired',
    })
    const error = { code: 'certificate-other', message: 'It shows another: serial number 4F.' }
    await expect(verifyHost(shows({ status: undefined, error }), demanding)).rejects.toMatchObject({
      code: 'certificate-not-shown',
      message:
        'the connector at 127.0.0.1:8096 does not serve the certificate of its files. It shows another: serial number 4F. Its log ends:\nit has expired',
    })
  })

  it('reports a component that ended before any other failure', async () => {
    const ended = { id: 'connector', error: { code: 'ended', message: 'it ended after its start' } }
    const host = fakeTransport({
      expect: [
        { script: 'muster-api.cjs call', result: { stdout: JSON.stringify([ended]) } },
        {
          script: 'journalctl',
          result: {
            stdout:
              'ActiveState=activating\nSubState=auto-restart\nResult=oom-kill\nExecMainCode=2\nExecMainStatus=9\nNRestarts=1\n\nthe port is taken\n',
          },
        },
      ],
    })
    await expect(verifyHost(host, target)).rejects.toMatchObject({
      code: 'login-not-proved',
      message:
        'the connector at 127.0.0.1:8096 gave no answer: it ended after its start (result oom-kill, killed by SIGKILL, restarted once). Its log ends:\nthe port is taken',
    })
  })

  it('requires that no component knows a removed user', async () => {
    const gone = (status: number) => hostThat(({ credentials }) => (credentials ? 200 : status))
    const good = gone(404)
    await verifyHost(good.host, { ...target, removedUsers: ['zoe'] })
    expect(
      good.requests().flatMap(({ path, target: place }) => (path.endsWith('zoe') ? [place] : [])),
    ).toEqual(
      ['manager', 'connector', 'replicator'].map((name) => ({
        socket: `/run/muster-alpha/${name}/api.sock`,
      })),
    )
    await expect(verifyHost(gone(200).host, { ...target, removedUsers: ['zoe'] })).rejects.toMatchObject({
      code: 'removed-user-there',
      message:
        'the manager at /run/muster-alpha/manager/api.sock answered 200 when asked for a removed user. Its log ends:\ncannot listen\nstopping',
    })
  })

  it('fails without a response', async () => {
    const host = fakeTransport({
      expect: [
        { script: 'muster-api.cjs call', result: { stdout: '[]' } },
        { script: 'journalctl', result: { code: 1 } },
      ],
    })
    await expect(verifyHost(host, target)).rejects.toMatchObject({
      message: 'the manager at 127.0.0.1:8090 gave no answer instead of accepting the login of admin',
    })
  })
})
