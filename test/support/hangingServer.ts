import type { Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { framed, greeting } from './databaseClient.ts'
import { serveTcp } from './loopbackServer.ts'

/** A database that accepts connections, and greets each only when it is told to. */
export type HangingServer = {
  readonly name: string
  readonly port: number
  /** Its connections, in the order in which they came. */
  readonly sockets: readonly Socket[]
  /** Everything that each of them was told. */
  readonly heard: readonly Buffer[]
  /** Waits until so many have come. */
  accepts(count: number): Promise<void>
  greet(index: number): void
  /** Accepts a login. */
  welcome(index: number): void
  close(): Promise<void>
}

export async function hangingServer(name: string): Promise<HangingServer> {
  const sockets: Socket[] = []
  const heard: Buffer[] = []
  const server = await serveTcp((socket) => {
    const index = sockets.push(socket) - 1
    heard[index] = Buffer.of()
    socket.on('data', (chunk: Buffer) => {
      heard[index] = Buffer.concat([heard[index] ?? Buffer.of(), chunk])
    })
  })
  onTestFinished(() => server.close())
  return {
    name,
    port: server.port,
    sockets,
    heard,
    accepts: (count) => expect.poll(() => sockets.length).toBe(count),
    greet: (index) => void sockets[index]?.write(greeting),
    welcome: (index) => void sockets[index]?.write(framed(2, Buffer.of(0, 0, 0, 2, 0, 0, 0))),
    close: server.close,
  }
}
