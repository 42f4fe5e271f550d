import { connect, createServer, type Socket } from 'node:net'
import { explainListening } from '../../api/listen.ts'
import type { ReadBuffer } from './readBuffer.ts'

/**
 * Both sides of a connection: small packets leave at once, either side may end its half first, and the kernel
 * asks a peer that is silent for a minute whether it is still there.
 */
const common = {
  noDelay: true,
  allowHalfOpen: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const

/** As many may wait to be accepted as clients may be held by default. */
const backlog = 1024

/** An open port. */
export type Listener = {
  /** The port in effect. */
  readonly port: number
  /** Accepts no more; what was accepted stays open. */
  close(): void
}

/** Opens a port for clients. Rejects with a `StartError`. */
export function listen(options: {
  readonly address: string
  readonly port: number
  readonly onClient: (socket: Socket) => void
  /** A client could not be accepted, for want of descriptors say. */
  readonly onError: (error: Error) => void
}): Promise<Listener> {
  const { address, port, onClient, onError } = options
  const server = createServer(common, onClient)
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => reject(explainListening(error, { address, port }))
    server.once('error', refuse)
    server.listen({ host: address, port, backlog }, () => {
      server.off('error', refuse)
      server.on('error', onError)
      const bound = server.address()
      resolve({
        port: typeof bound === 'object' && bound !== null ? bound.port : port,
        close: () => void server.close(),
      })
    })
  })
}

/** Begins a connection to a database, whose bytes all go to the read buffer. */
export const dial = (
  { host, port }: { readonly host: string; readonly port: number },
  { buffer, callback }: ReadBuffer,
): Socket => connect({ ...common, host, port, onread: { buffer, callback } })
