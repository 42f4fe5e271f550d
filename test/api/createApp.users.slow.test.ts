import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { putUser, removeUser, type UserFile } from '../../src/accounts/userFile.ts'
import { serve } from '../../src/api/serve.ts'
import { type EventStream, eventBytes } from '../../src/base/eventStreams.ts'
import { managerRoutes } from '../../src/contracts/managerRoutes.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { eventually } from '../support/eventually.ts'
import { adminLogin, basic, testApi } from '../support/testApi.ts'

/** A server with a stream for users that looks at them every 30 ms. */
async function streaming(usersFile?: string) {
  const streams = new Set<EventStream>()
  const seen: (string | undefined)[] = []
  const served = [
    serve(managerRoutes.managerEvents, ({ lastEventId }) => (stream) => {
      seen.push(lastEventId)
      streams.add(stream)
      stream.sendBytes(eventBytes({ data: 'first', id: 'e-1' }))
    }),
  ]
  const api = await testApi({
    served,
    streams: { comment: 30 },
    ...(usersFile === undefined ? {} : { usersFile }),
  })
  const { server } = api.app
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  async function open(authorization = adminLogin, headers = {}) {
    const call = request({
      port,
      path: managerRoutes.managerEvents.path,
      headers: { host: 'localhost', authorization, ...headers },
      agent: false,
    })
    onTestFinished(() => void call.destroy())
    call.on('error', () => undefined)
    call.end()
    const [answer]: IncomingMessage[] = await once(call, 'response')
    let text = ''
    answer?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    answer?.on('error', () => undefined)
    let isEnded = false
    answer?.on('close', () => {
      isEnded = true
    })
    return {
      status: answer?.statusCode,
      text: () => text,
      isEnded: () => isEnded,
      /** Waits until the server has looked at the users again, and again. */
      looked: async () => {
        const before = text.length
        await eventually(() => expect(isEnded || text.length >= before + 12).toBe(true))
      },
    }
  }
  const change = (to: (file: UserFile) => UserFile): Promise<boolean> => api.accounts.change(to)
  const put = async (user: string, password: string): Promise<void> => {
    const record = await api.accounts.recordFor({ user, password: new Secret(password) })
    await change((file) => putUser(file, record))
  }
  return { ...api, open, change, put, seen }
}

describe('a stream of a user', () => {
  it('goes on while others change, and ends when the user is deleted', async () => {
    const { open, put, change } = await streaming()
    const stream = await open()
    expect(stream.status).toBe(200)
    await put('second', 'other')
    await stream.looked()
    expect(stream.isEnded()).toBe(false)
    await change((file) => removeUser(file, 'admin'))
    await eventually(() => expect(stream.isEnded()).toBe(true))
    expect((await open()).status).toBe(401)
  })

  it('ends when the user gets another password', async () => {
    const { open, put } = await streaming()
    const stream = await open()
    await put('admin', 'new')
    await eventually(() => expect(stream.isEnded()).toBe(true))
    expect((await open(basic('admin', 'new'))).status).toBe(200)
  })

  it('ends when anything else of the record of the user changes', async () => {
    const { open, change } = await streaming()
    const stream = await open()
    await change((file) => ({
      ...file,
      // Any part of the record, such as the access level.
      users: file.users.map((it) => ({ ...it, hash: it.hash.replace(/r=8/, 'r=4') })),
    }))
    await eventually(() => expect(stream.isEnded()).toBe(true))
  })

  it('is known by its record from the first login of a server on', async () => {
    const first = await streaming()
    const { open } = await streaming(first.usersFile)
    const stream = await open()
    await stream.looked()
    await stream.looked()
    expect(stream.isEnded()).toBe(false)
  })

  it('ends when the users cannot be read any more', async () => {
    const { open, usersFile } = await streaming()
    const stream = await open()
    writeFileSync(usersFile, 'broken')
    await eventually(() => expect(stream.isEnded()).toBe(true))
  })

  it('sends ids with its events, and hands the last one that a caller saw to the call', async () => {
    const { open, seen } = await streaming()
    const stream = await open(adminLogin, { 'last-event-id': 'e-7' })
    await eventually(() => expect(stream.text()).toContain('id: e-1\ndata: first\n\n'))
    expect(seen).toEqual(['e-7'])
  })
})
