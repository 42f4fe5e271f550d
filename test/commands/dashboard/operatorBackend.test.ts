import type { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { operatorBackend } from '../../../src/commands/dashboard/operatorBackend.ts'
import type { ClusterWatch } from '../../../src/deployment/watch/watchCluster.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import type { DashboardLogin } from '../../../src/web/backend.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'

type Said = { readonly status: number; readonly body: unknown } | { readonly error: object }

const user = (access: string): Said => {
  const payload = { user: 'ada', access }
  return { status: 200, body: { payloadType: 'CredentialsPayload', payloadVersion: '1', payload } }
}
const refused: Said = {
  status: 401,
  body: { type: 'about:blank', title: 'Refused', status: 401, code: 'login-refused' },
}
const down: Said = { error: { code: 'connection-refused', message: 'nothing listens', fix: 'Start it.' } }

/** A cluster whose hosts say what a test wants to a call of their APIs. */
function clusterOf(says: Readonly<Record<string, () => Said | Promise<Said>>>) {
  const asked: string[] = []
  const forget = vi.fn()
  const hosts = Object.keys(says).map((name) => hostConfig({ name }))
  const watch: ClusterWatch = {
    ...{ name: 'one', directory: '/', hosts, forget, authoritiesOf: () => [] },
    surveyed: async (name) => {
      asked.push(name)
      const said = await says[name]?.()
      const result = { stdout: JSON.stringify([{ id: 'manager', ...said }]) }
      return {
        host: hostConfig({ name }),
        transport: fakeTransport({ host: name, expect: [{ script: / call$/, result }] }),
        facts: hostFacts({ host: name, installation: installationFacts({ currentRelease: '1.0.0' }) }),
        seconds: { connect: 0, facts: 0 },
      }
    },
    ...{ failed: vi.fn(), lookNow: vi.fn(), noteWait: vi.fn(), use: vi.fn(), close: async () => {} },
    follow: () => {
      throw new Error('nobody follows here')
    },
  }
  let time = 0
  const backend = operatorBackend({ watches: [watch], elapsed: () => time, forks: undefined })
  const pass = (milliseconds: number): void => {
    time += milliseconds
  }
  const logIn = async (): Promise<DashboardLogin> => {
    const asks = { user: 'ada', password: new Secret('a password') }
    const [login] = await backend.login(asks, {} as Socket)
    if (login === undefined) throw new Error('no login')
    asked.length = 0
    return login
  }
  return { backend, asked, forget, pass, logIn }
}

describe('the dashboard on the machine of an operator', () => {
  it('logs in by another host where the API of the first is down', async () => {
    const { logIn } = clusterOf({ db1: () => down, db2: () => user('operate') })
    expect(await logIn()).toMatchObject({ user: 'ada', access: 'operate' })
  })

  it('lets the first host that responds decide a login alone', async () => {
    const { logIn, asked } = clusterOf({ db1: () => refused, db2: () => user('full') })
    await expect(logIn()).rejects.toMatchObject({ status: 401 })
    expect(asked).toEqual(['db1'])
  })

  it('asks about a login once at a time, however long the host takes, and ends one that it refuses', async () => {
    let refuse = (): void => {}
    let said = async (): Promise<Said> => user('read')
    const { backend, logIn, asked, forget, pass } = clusterOf({ db1: () => said() })
    const login = await logIn()
    said = () =>
      new Promise((resolve) => {
        refuse = () => resolve(refused)
      })
    for (let minute = 0; minute < 5; minute += 1) {
      expect(backend.isCurrent(login)).toBe(true)
      pass(60_000)
    }
    expect(asked).toEqual(['db1'])
    refuse()
    await eventually(() => expect(backend.isCurrent(login)).toBe(false))
    expect(forget).toHaveBeenCalledExactlyOnceWith(login)
    pass(60_000)
    expect(backend.isCurrent(login)).toBe(false)
    expect(asked).toEqual(['db1'])
  })

  it('asks a host with another password for its users once, so that nobody is locked out there', async () => {
    const { backend, logIn, asked } = clusterOf({ db1: () => user('full'), db2: () => refused })
    const login = await logIn()
    for (let view = 0; view < 6; view += 1) {
      const shown = await backend.users?.(login)
      expect(shown?.failures).toMatchObject([{ host: 'db2' }])
      expect(shown?.failures[0]?.reason).not.toContain('unexpected')
    }
    expect(asked.filter((host) => host === 'db2')).toEqual(['db2'])
  })
})
