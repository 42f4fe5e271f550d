import { connect } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Credentials } from '../../../src/client/credentials.ts'
import { receiversOf } from '../../../src/dashboard/actions/operations.ts'
import { unreachableStatus } from '../../../src/deployment/hostStatus.ts'
import type { SurveyedHost } from '../../../src/deployment/survey.ts'
import { watchCluster } from '../../../src/deployment/watch/watchCluster.ts'
import { watchIntervals } from '../../../src/deployment/watch/watchHost.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { TransportError } from '../../../src/transport/transportError.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { serveTls } from '../../support/loopbackServer.ts'
import { manualClock } from '../../support/manualClock.ts'
import { createServerCertificate } from '../../support/serverCertificate.ts'

const loginOf = (user: string): Credentials => ({ user, password: new Secret('a password') })
const userOf = (authorization = ''): string =>
  Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')[0] ?? ''

/** A cluster of one host, whose manager takes the streams of all users but those that a test names. */
async function watched() {
  const refused = new Set<string>()
  const asked: string[] = []
  const open = new Set<string>()
  const { key, chain } = createServerCertificate()
  const server = await serveTls({ key, cert: chain }, (request, response) => {
    const user = userOf(request.headers.authorization)
    asked.push(user)
    if (refused.has(user)) {
      const problem = { type: 'about:blank', title: 'Login refused', status: 401, code: 'login-refused' }
      response.writeHead(401, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(problem))
      return
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
    open.add(user)
    response.on('close', () => open.delete(user))
  })
  onTestFinished(server.close)
  const host = hostConfig()
  /** Ways to the host that were lost. */
  const lost = new Set<number>()
  let connections = 0
  const survey = async (): Promise<SurveyedHost> => {
    connections += 1
    const number = connections
    const dial = async () =>
      lost.has(number) ? new Error('the connection is gone') : connect(server.port, '127.0.0.1')
    const facts = hostFacts()
    return {
      ...{ host, facts, seconds: { connect: 0, facts: 0 } },
      transport: { ...fakeTransport({}), dial, run: async () => Promise.reject(new Error(String(number))) },
    }
  }
  const refresh = vi.fn(async (surveyed: SurveyedHost): Promise<SurveyedHost> => {
    const number = await surveyed.transport.run('').catch((error: Error) => Number(error.message))
    if (typeof number === 'number' && lost.has(number))
      throw new TransportError({ host: 'db1', code: 'connection-lost', message: 'cut', fix: 'none' })
    return surveyed
  })
  const clock = manualClock()
  const watch = watchCluster({
    config: { cluster: 'one', directory: '/', hosts: [host], services: [] },
    hosts: {
      ...{ survey, refresh, authoritiesOf: () => [chain] },
      look: async () => {
        const { status } = unreachableStatus(host, 'unreachable', '')
        return { status: { ...status, state: 'up' } }
      },
    },
    now: clock.now,
    after: clock.after,
  })
  onTestFinished(() => watch.close())
  const changed = vi.fn()
  const next = async (): Promise<void> => {
    const before = changed.mock.calls.length
    clock.advance(watchIntervals.well)
    await eventually(() => expect(changed.mock.calls.length).toBeGreaterThan(before))
  }
  return { watch, changed, refused, asked, open, lost, next, cut: server.cut, connections: () => connections }
}

describe('the streams of a watched cluster', () => {
  it('are asked for once by a login that a manager refuses, so that the user is not locked out', async () => {
    const { watch, changed, refused, asked, next } = await watched()
    refused.add('ada')
    watch.use(loginOf('ada'))
    watch.follow(changed)
    await eventually(() => expect(asked).toEqual(['ada']))
    for (let survey = 0; survey < 6; survey += 1) await next()
    expect(asked).toEqual(['ada'])
  })

  it('are those of another viewer where a manager refuses the login of the last', async () => {
    const { watch, changed, refused, asked, open } = await watched()
    refused.add('eve')
    watch.use(loginOf('ada'))
    watch.use(loginOf('eve'))
    watch.follow(changed)
    await eventually(() => expect([...open]).toEqual(['ada']))
    expect(asked).toEqual(['eve', 'ada'])
  })

  it('pass to a login that stays when theirs ends, and end with the last', async () => {
    const { watch, changed, asked, open } = await watched()
    const [ada, eve] = [loginOf('ada'), loginOf('eve')]
    watch.use(ada)
    watch.use(eve)
    watch.follow(changed)
    await eventually(() => expect([...open]).toEqual(['eve']))
    watch.forget(eve)
    await eventually(() => expect([...open]).toEqual(['ada']))
    watch.forget(ada)
    await eventually(() => expect([...open]).toEqual([]))
    expect(asked).toEqual(['eve', 'ada'])
  })

  it('stay open when a login ends that is not theirs', async () => {
    const { watch, changed, asked, open, next } = await watched()
    const ada = loginOf('ada')
    watch.use(ada)
    watch.use(loginOf('eve'))
    watch.follow(changed)
    await eventually(() => expect([...open]).toEqual(['eve']))
    watch.forget(ada)
    await next()
    expect(asked).toEqual(['eve'])
  })

  it('go on over a new connection after the one to the host was lost', async () => {
    const { watch, changed, open, lost, asked, connections, cut } = await watched()
    watch.use(loginOf('ada'))
    watch.follow(changed)
    await eventually(() => expect([...open]).toEqual(['ada']))
    lost.add(1)
    cut()
    await eventually(() => expect(asked).toEqual(['ada', 'ada']))
    expect(connections()).toBe(2)
    await eventually(() => expect([...open]).toEqual(['ada']))
  })
})

it('a call to all managers of a watched cluster goes to hosts that were not surveyed yet, and leaves out those away', async () => {
  const [db1, db2, db3] = ['db1', 'db2', 'db3'].map((name) => hostConfig({ name }))
  if (!db1 || !db2 || !db3) throw new Error('no hosts')
  const failure = { code: 'connection-refused', message: 'nothing listens', fix: 'Start it.' } as const
  const clock = manualClock()
  const watch = watchCluster({
    config: { cluster: 'one', directory: '/', hosts: [db1, db2, db3], services: [] },
    hosts: {
      survey: async (host) => {
        if (host === db2) return new Promise(() => {})
        if (host === db3) return { host, failure, unreachable: true }
        return { host, transport: fakeTransport({}), facts: hostFacts(), seconds: { connect: 0, facts: 0 } }
      },
      ...{ refresh: async (surveyed) => surveyed, authoritiesOf: () => [] },
      look: async () => {
        const { status } = unreachableStatus(db1, 'unreachable', '')
        const api = { listen: null, api: 'answers', ready: true } as const
        return {
          status: {
            ...status,
            state: 'up',
            components: [{ component: 'manager', service: 'running', ...api }],
          },
        }
      },
    },
    ...{ now: clock.now, after: clock.after },
  })
  const followed = watch.follow(() => undefined)
  onTestFinished(followed.stop)
  const states = () => followed.picture().hosts.map(({ state }) => state)
  expect(states()).toEqual(['unknown', 'unknown', 'unknown'])
  await eventually(() => expect(states()).toEqual(['up', 'unknown', 'unreachable']))
  expect(receiversOf({ to: 'managers' }, followed.picture().hosts)).toEqual({
    called: [
      { host: 'db1', component: 'manager' },
      { host: 'db2', component: 'manager' },
    ],
    leftOut: ['db3'],
  })
})
