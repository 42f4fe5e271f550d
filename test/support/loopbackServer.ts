import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import type { TestLeaf } from './clientCertificate.ts'

export type LoopbackServer = {
  readonly port: number
  /** Ends all connections; it goes on listening. */
  cut(): void
  close(): Promise<void>
}

async function listening(server: TcpServer, address: string | { path: string }): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (typeof address === 'string') server.listen(0, address, resolve)
    else server.listen(address.path, resolve)
  })
  const bound = server.address()
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof bound === 'object' ? ((bound as AddressInfo | null)?.port ?? 0) : 0,
    cut,
    close: () =>
      new Promise((resolve) => {
        cut()
        server.close(() => resolve())
      }),
  }
}

/** An HTTPS server on an ephemeral port of a loopback address; `show` gives new connections another certificate. */
export const serveTls = async (
  leaf: TestLeaf,
  listener: RequestListener,
  address = '127.0.0.1',
): Promise<LoopbackServer & { show(other: TestLeaf): void }> => {
  const server = createTlsServer({ key: leaf.key, cert: leaf.cert }, listener)
  server.on('tlsClientError', () => {})
  const show = ({ key, cert }: TestLeaf): void => server.setSecureContext({ key, cert })
  return { ...(await listening(server, address)), show }
}

/** A plain HTTP server on a Unix socket or an ephemeral port. */
export const servePlain = (
  listener: RequestListener,
  address: string | { path: string } = '127.0.0.1',
): Promise<LoopbackServer> => listening(createServer(listener) as Server, address)

/** A bare TCP server that does with each connection what it is told. */
export const serveTcp = (
  onConnection: (socket: Socket) => void,
  address: string | { path: string } = '127.0.0.1',
): Promise<LoopbackServer> => listening(createTcpServer(onConnection), address)

/** The whole body of a request. */
export async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
