import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { putUsers } from '../../src/deployment/putUsers.ts'
import { serviceData } from '../../src/deployment/services/implementations.ts'
import { Secret } from '../../src/secrets/secret.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { hostFacts } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { servePlain } from '../support/loopbackServer.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { testCost } from '../support/testApi.ts'
import { settingsIn, start } from '../support/testServer.ts'

const hash = await hashPassword({ password: new Secret('x'), salt: Buffer.alloc(16), cost: testCost })
const updates = [{ user: 'ops', access: 'full' as const, hash }]
const running = { state: 'running', enabled: true } as const
const data = serviceData('systemd', { root: '/opt/muster', cluster: 'alpha' })
const account = { user: 'ops', isOther: false }
const facts = hostFacts({ services: new Map([['connector', running]]) })

/** A host whose every socket is this one. */
function leadingTo(path: string): { transport: Transport; dialled: unknown[] } {
  const dialled: unknown[] = []
  const dial: Transport['dial'] = (place) => {
    dialled.push(place)
    return new Promise((resolve) => {
      const socket = connect(path)
      socket.once('error', resolve)
      socket.once('connect', () => resolve(socket))
    })
  }
  return { transport: { ...fakeTransport({}), dial }, dialled }
}

describe('putUsers', () => {
  it('lets a running component write the users', async () => {
    const settings = settingsIn(temporaryFolder(), { component: 'connector' })
    await start(settings)
    const { transport, dialled } = leadingTo(settings.socket)
    expect(await putUsers(transport, { data, account, facts, updates })).toBe(true)
    expect(dialled).toEqual([{ socket: '/run/muster-alpha/connector/api.sock' }])
    expect(JSON.parse(readFileSync(settings.usersFile, 'utf8')).users).toEqual(updates)
  })

  it('returns false without a confirmation', async () => {
    const path = `${temporaryFolder()}/old.sock`
    const old = await servePlain((_message, answer) => answer.writeHead(404).end(), { path })
    const options = { data, account, facts, updates }
    expect(await putUsers(leadingTo(path).transport, options)).toBe(false)
    await old.close()
    const cut = await servePlain(({ socket }) => socket.destroy(), { path })
    expect(await putUsers(leadingTo(path).transport, options)).toBe(false)
    await cut.close()
    expect(await putUsers(leadingTo(path).transport, options)).toBe(false)
    expect(await putUsers(fakeTransport({}), options)).toBe(false)
    const stopped = hostFacts({ services: new Map() })
    const { transport, dialled } = leadingTo(path)
    expect(await putUsers(transport, { ...options, facts: stopped })).toBe(false)
    expect(dialled).toEqual([])
  })

  it('does not open a socket of another user as root', async () => {
    const { transport, dialled } = leadingTo(`${temporaryFolder()}/connector.sock`)
    const other = { user: 'muster-alpha', isOther: true }
    expect(await putUsers(transport, { data, account: other, facts, updates })).toBe(false)
    expect(dialled).toEqual([])
  })
})
