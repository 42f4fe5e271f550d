import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readBody } from '../../src/api/requestBody.ts'

/** A request as the server has it, whose body never comes whole, and what breaks it off. */
async function unfinished(): Promise<{ readonly incoming: IncomingMessage; readonly leave: () => void }> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const headers = { 'content-type': 'application/json', 'content-length': '10' }
  const outgoing = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers })
  outgoing.on('error', () => undefined)
  outgoing.write('{')
  const [incoming] = await once(server, 'request')
  return { incoming, leave: () => void outgoing.destroy() }
}

describe('a request body that is cut off', () => {
  it('while it is read rejects with the error of its request', async () => {
    const { incoming, leave } = await unfinished()
    const body = readBody(incoming).catch((error: unknown) => error)
    leave()
    expect(await body).toBe(incoming.errored)
    expect(incoming.errored).toBeInstanceOf(Error)
  })

  it('before it is read rejects with the same error', async () => {
    const { incoming, leave } = await unfinished()
    leave()
    // Not `once` of events, which would listen to errors, too.
    await new Promise((resolve) => incoming.once('close', resolve))
    await expect(readBody(incoming)).rejects.toBe(incoming.errored)
  })
})
