import { once } from 'node:events'
import { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { forward } from '../../../src/components/connector/forward.ts'
import { createReadBuffer } from '../../../src/components/connector/readBuffer.ts'
import { databaseClient } from '../../support/databaseClient.ts'
import { serveTcp } from '../../support/loopbackServer.ts'
import { manualClock } from '../../support/manualClock.ts'

/** A client that does not read, joined to a database that has said more than the kernel keeps. */
async function queued() {
  let accepted: (socket: Socket) => void = () => undefined
  const client = new Promise<Socket>((resolve) => {
    accepted = resolve
  })
  const server = await serveTcp((socket) => accepted(socket))
  onTestFinished(() => server.close())
  const outside = await databaseClient(server.port)
  outside.socket.pause()
  const [inside, database, readBuffer, clock] = [
    await client,
    new Socket(),
    createReadBuffer(),
    manualClock(),
  ]
  let isClosed = false
  forward({
    client: inside,
    database,
    readBuffer,
    clock,
    onClosed: () => {
      isClosed = true
    },
  })
  let said = 0
  for (let goesOn = true; goesOn; ) {
    const buffer = readBuffer.buffer()
    said += buffer.length
    goesOn = readBuffer.callback(buffer.length, buffer)
  }
  database.destroy()
  await once(database, 'close')
  return { outside, inside, clock, said, isClosed: () => isClosed }
}

it('gives a client all that was read of a database which has broken off', async () => {
  const { outside, said, isClosed, clock } = await queued()
  expect(isClosed()).toBe(false)
  outside.socket.resume()
  expect(await outside.ended).toHaveLength(said)
  outside.socket.end()
  await expect.poll(isClosed).toBe(true)
  expect(clock.pending()).toBe(0)
})

it('does not wait for ever for a client that does not read it', async () => {
  const { inside, isClosed, clock } = await queued()
  clock.advance(29_999)
  expect(inside.destroyed).toBe(false)
  clock.advance(1)
  expect(inside.destroyed).toBe(true)
  await expect.poll(isClosed).toBe(true)
})
