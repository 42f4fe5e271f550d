import { connect, createServer, type Socket } from 'node:net'

export type DelayingProxy = {
  readonly address: string
  readonly port: number
  /**
   * Times that the client spoke again after it had heard something, over all connections so far: its round trips.
   * What follows within one way belongs to the same one: the packets of one answer come apart.
   */
  turns(): number
  /** Connections so far. */
  connections(): number
  close(): Promise<void>
}

/**
 * A TCP proxy on loopback behind which the server is far away. What is written takes `delay` to the other side, and a
 * connection takes as long to be made as over such a line: the server hears of it when the client's second packet of
 * the handshake has come.
 */
export async function startDelayingProxy(options: {
  readonly to: { readonly address: string; readonly port: number }
  readonly address?: string
  /** Milliseconds for one way: half a round trip. */
  readonly delay: number
}): Promise<DelayingProxy> {
  const { to, delay, address = '127.0.0.1' } = options
  const sockets = new Set<Socket>()
  let turns = 0
  let connections = 0

  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  }
  /** Hands on what comes from one side to the other, all in order and each so much later. */
  const hand = (from: Socket, into: () => Socket | undefined, wait: () => number): void => {
    from.on('data', (chunk) => {
      setTimeout(() => into()?.write(chunk), wait())
    })
    from.on('end', () => setTimeout(() => into()?.end(), wait()))
    from.on('close', () => setTimeout(() => into()?.destroy(), wait() + 1))
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client)
    connections += 1
    const made = performance.now() + 3 * delay
    let far: Socket | undefined
    let heard = true
    let spoke = Number.NEGATIVE_INFINITY
    client.on('data', () => {
      const now = performance.now()
      if (heard && now >= spoke + delay) {
        turns += 1
        spoke = now
      }
      heard = false
    })
    // Timers fire in order only among those of one length: what comes early waits for the connection itself.
    const early: Buffer[] = []
    const writeFar = (chunk: Buffer): void => void (far === undefined ? early.push(chunk) : far.write(chunk))
    client.on('data', (chunk) => setTimeout(writeFar, delay, chunk))
    client.on('end', () => setTimeout(() => far?.end(), delay))
    client.on('close', () => setTimeout(() => far?.destroy(), delay))
    setTimeout(() => {
      const socket = connect({ host: to.address, port: to.port, allowHalfOpen: true }, () => {
        far = socket
        for (const chunk of early.splice(0)) socket.write(chunk)
      })
      keep(socket)
      hand(
        socket,
        () => client,
        () => delay,
      )
      socket.on('data', () =>
        setTimeout(() => {
          heard = true
        }, delay),
      )
    }, made - performance.now())
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return {
    address,
    port: bound.port,
    turns: () => turns,
    connections: () => connections,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
