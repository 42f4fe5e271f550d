import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'

/** One answer as it came over the wire. */
export type RawAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answers in what came over a connection; throws on what is none. */
export function answersIn(received: Buffer): readonly RawAnswer[] {
  const text = received.toString('latin1')
  if (text === '') return []
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]
  if (status === undefined) throw new Error(`no answer begins so: ${text.slice(0, 100)}`)
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.split(':', 1)[0]?.toLowerCase() ?? '',
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const length = Number(headers['content-length'] ?? 0)
  const body = received.subarray(end + 4, end + 4 + length)
  if (body.length < length) throw new Error(`an answer breaks off: ${text.slice(0, 100)}`)
  return [
    { status: Number(status), headers, body: body.toString() },
    ...answersIn(received.subarray(end + 4 + length)),
  ]
}

export type RawConnection = {
  readonly socket: Socket
  /** Everything that came back, once the connection has ended; it is never ended from here. */
  readonly received: Promise<Buffer>
}

const open = new Set<Socket>()

const closeAll = (): void => {
  for (const socket of open) socket.destroy()
}

/** Closes a connection in the end, if nobody has by then; one that is closed is not kept in memory. */
function closeInTheEnd(socket: Socket): void {
  open.add(socket)
  socket.on('close', () => open.delete(socket))
  onTestFinished(closeAll)
}

function follow(socket: Socket): RawConnection {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A reset is an end, too.
  socket.on('error', () => undefined)
  closeInTheEnd(socket)
  const received = new Promise<Buffer>((resolve) => socket.on('close', () => resolve(Buffer.concat(chunks))))
  return { socket, received }
}

/** A TCP connection that ends only when the other side resets it or both have ended it. */
export const openTcp = async (port: number): Promise<RawConnection> => {
  const socket = connectTcp({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  return follow(socket)
}

/** The same after a TLS handshake. */
export const openTls = async (port: number): Promise<RawConnection> => {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  return follow(socket)
}

/** A TLS connection of a caller that reads nothing, and so never sees that the server has ended it. */
export async function openDeaf(port: number): Promise<Socket> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  socket.pause()
  closeInTheEnd(socket)
  return socket
}

/** Sends a text over a new TLS connection and waits until the server ends it. */
export async function converse(port: number, text: string): Promise<readonly RawAnswer[]> {
  const { socket, received } = await openTls(port)
  socket.write(text, 'latin1')
  return answersIn(await received)
}

/** Sends one byte after the other, for as long as the connection lasts. */
export function drip(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => {
    socket.write(text[at % text.length] ?? '')
    at += 1
  }, 10)
  socket.on('close', () => clearInterval(timer))
}
