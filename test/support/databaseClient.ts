import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { serveTcp } from './loopbackServer.ts'

/** A client of a database, below its protocol. */
export type DatabaseClient = {
  readonly socket: Socket
  /** Everything that came so far. */
  received(): string
  /** Resolves when that holds this text; rejects when it ended without. */
  sees(text: string): Promise<void>
  /** Resolves when the other side has ended or reset it, to what came until then. */
  readonly ended: Promise<Buffer>
}

/** Connects to a port of loopback; the connection ends with the test. */
export async function databaseClient(port: number, localAddress = '127.0.0.1'): Promise<DatabaseClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  const watchers = new Set<() => void>()
  let isEnded = false
  const bytes = (): Buffer => Buffer.concat(chunks)
  const change = (): void => {
    for (const watcher of [...watchers]) watcher()
  }
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    change()
  })
  const ended = new Promise<Buffer>((resolve) => {
    const end = (): void => {
      isEnded = true
      change()
      resolve(bytes())
    }
    socket.on('end', end)
    socket.on('close', end)
  })
  await once(socket, 'connect')
  return {
    socket,
    received: () => bytes().toString(),
    sees: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (bytes().includes(text)) resolve()
          else if (isEnded) reject(new Error(`it ended with ${JSON.stringify(bytes().toString())}`))
          else return
          watchers.delete(look)
        }
        watchers.add(look)
        look()
      }),
    ended,
  }
}

/** A packet of the protocol. */
export function framed(sequence: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, payload])
}

/** The packet with which a server greets. */
export const greeting = framed(
  0,
  Buffer.from(
    `0a352e352e350000000000${'41'.repeat(8)}00fff72d0200ffc115${'00'.repeat(11)}${'42'.repeat(12)}00`,
    'hex',
  ),
)

/** Number and message of the packet with which a server refuses; throws where the bytes are no such packet. */
export function refusalIn(bytes: Buffer): { readonly number: number; readonly message: string } {
  const length = bytes.readUIntLE(0, 3)
  if (length !== bytes.length - 4 || bytes[3] !== 0 || bytes[4] !== 0xff) {
    throw new Error(`no refusal: ${JSON.stringify(bytes.toString('latin1'))}`)
  }
  return { number: bytes.readUInt16LE(5), message: bytes.subarray(7).toString() }
}

/** A listener that stands for a database: it greets with its name and sends back in upper case what it gets. */
export type StandIn = {
  readonly name: string
  readonly port: number
  /** Its connections, in the order in which they came. */
  readonly sockets: readonly Socket[]
  /** What came first on each of them. */
  readonly firsts: readonly string[]
  /** Closes it with all its connections. */
  close(): Promise<void>
}

export async function standIn(name: string): Promise<StandIn> {
  const sockets: Socket[] = []
  const firsts: string[] = []
  const server = await serveTcp((socket) => {
    sockets.push(socket)
    socket.once('data', (chunk: Buffer) => firsts.push(chunk.toString()))
    socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()))
    socket.write(`${name} greets\n`)
  })
  onTestFinished(() => server.close())
  return { name, port: server.port, sockets, firsts, close: server.close }
}
