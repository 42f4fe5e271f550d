import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findUser, putUser, removeUser } from '../../src/accounts/userFile.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { basic, type TestApi, testApi } from '../support/testApi.ts'

/** Calls over one connection that stays open: the status of each, and how many passwords were checked for it. */
async function oneConnection(api: TestApi) {
  const { server } = api.app
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  const call = (authorization: string | undefined): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: 'db1', ...(authorization === undefined ? {} : { authorization }) }
      const options = { host: '127.0.0.1', port, agent, path: '/api/v2/user/admin', headers }
      const request = httpRequest(options, (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode))
      })
      request.on('error', reject)
      request.end()
    })
  return { call, connections: () => connections }
}

async function setPassword({ accounts }: TestApi, password: string): Promise<void> {
  const record = await accounts.recordFor({ user: 'admin', password: new Secret(password) })
  await accounts.change((file) => putUser(file, record))
}

describe('a login over a connection that stays open', () => {
  it('is known again, and good for itself alone', async () => {
    const api = await testApi()
    const { call, connections } = await oneConnection(api)
    const outcomes: unknown[] = []
    for (const password of ['right', 'right', 'wrong', 'right'])
      outcomes.push(await call(basic('admin', password)))
    outcomes.push(
      await call(undefined),
      await call(basic('nobody', 'right')),
      await call(basic('admin', 'right')),
    )
    expect(outcomes).toEqual([200, 200, 401, 200, 401, 401, 200])
    expect(connections()).toBe(1)
  })

  it('is refused as soon as its password or its user is another', async () => {
    const api = await testApi()
    const { call, connections } = await oneConnection(api)
    for (let time = 0; time < 3; time += 1) expect(await call(basic('admin', 'right'))).toBe(200)
    await setPassword(api, 'second')
    expect(await call(basic('admin', 'right'))).toBe(401)
    for (let time = 0; time < 3; time += 1) expect(await call(basic('admin', 'second'))).toBe(200)
    await api.accounts.change((file) => removeUser(file, 'admin'))
    expect(await call(basic('admin', 'second'))).toBe(401)
    expect(connections()).toBe(1)
  })

  it('is not known again where its user changed while it was checked', async () => {
    const own = await testApi()
    const late: TestApi['accounts'] = {
      ...own.accounts,
      verify: async (...login) => {
        const verdict = await own.accounts.verify(...login)
        const file = await own.accounts.users()
        if (findUser({ version: 1, users: file }, 'admin')) await setPassword(own, 'second')
        // As another call does meanwhile.
        await own.accounts.users()
        return verdict
      },
    }
    const { call, connections } = await oneConnection(await testApi({ context: { accounts: late } }))
    expect(await call(basic('admin', 'right'))).toBe(200)
    expect(await call(basic('admin', 'right'))).toBe(401)
    expect(connections()).toBe(1)
  })
})
