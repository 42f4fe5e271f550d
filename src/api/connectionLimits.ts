import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endsOf, isOwnAddress, originOf, peerNetwork } from './remoteAddress.ts'

/** Limits of the connections of a TCP listener: each takes about 57 KB, idle or not. */
export type ConnectionLimits = {
  /** From other hosts, of all addresses and of one (IPv6: of one /64). */
  readonly remote: number
  readonly perAddress: number
  /** From this host; callers of this host never wait for what others keep open. */
  readonly local: number
}

export const defaultConnectionLimits: ConnectionLimits = { remote: 400, perAddress: 100, local: 200 }

/** Local connections may be so many times as many for the moment in which the system is asked whose they are. */
const burstFactor = 4

type TrackedConnection = {
  readonly socket: Socket
  readonly origin: string
  isVerified: boolean
  /** True once a request has come: until then it may be one that never ends its handshake. */
  hasAsked: boolean
  /** Requests that are being answered. */
  underWay: number
}

/** State of each connection, by the socket that requests come from. */
const connectionBySocket = new WeakMap<Socket, TrackedConnection>()

/** Marks a connection over which a login was verified: it is not closed for the sake of others any more. */
export function markVerified(socket: Socket): void {
  const connection = connectionBySocket.get(socket)
  if (connection !== undefined) connection.isVerified = true
}

/** Open connections of a server. */
type OpenConnections = {
  /** Closes all at once but those that these requests came over. */
  closeBut(requests: Iterable<{ readonly socket: Socket }>): void
}

/** Keeps the open connections of a server, also those over which no request and no handshake has come yet. */
export function trackConnections(server: {
  on(event: 'connection', listener: (socket: Socket) => void): unknown
}): OpenConnections {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return {
    closeBut: (requests) => {
      const kept = [...requests].map(({ socket }) => socket)
      // A request over TLS has a socket of its own, whose ends are those of the connection.
      const ends = new Set(kept.filter((it) => it.remoteAddress !== undefined).map(endsOf))
      for (const socket of open) {
        if (!kept.includes(socket) && !ends.has(endsOf(socket))) socket.destroy()
      }
    },
  }
}

/** Returns the origin that has most; `newcomer` where none has more. */
function busiest(
  all: readonly TrackedConnection[],
  nameOf: (connection: TrackedConnection) => string,
  newcomer: string,
): string {
  const counts = new Map<string, number>()
  for (const connection of all) counts.set(nameOf(connection), (counts.get(nameOf(connection)) ?? 0) + 1)
  let most = newcomer
  for (const [origin, count] of counts) if (count > (counts.get(most) ?? 0)) most = origin
  return most
}

/**
 * Returns the one of an origin's connections that makes room: of those without a verified login the oldest over which
 * nobody asked anything yet, or else that waits for a request, or else the newest.
 */
function connectionToClose(own: readonly TrackedConnection[]): TrackedConnection | undefined {
  const candidates = own.filter(({ isVerified }) => !isVerified)
  const newest = candidates.at(-1)
  const older = candidates.slice(0, -1)
  return older.find(({ hasAsked }) => !hasAsked) ?? older.find(({ underWay }) => underWay === 0) ?? newest
}

/**
 * Bounds the connections of a server. Where one comes beyond, one of the address, or of the user of this host, that has
 * most is closed: the oldest that said nothing, so that a caller who speaks gets in beside callers who do not. One over
 * which a login was verified stays. `onRefused` gets the origin of the closed one.
 */
export function limitConnections(
  server: {
    on(event: 'connection' | 'secureConnection', listener: (socket: Socket) => void): unknown
    on(event: 'request', listener: (request: IncomingMessage, response: ServerResponse) => void): unknown
  },
  limits: ConnectionLimits,
  onRefused: (origin: string) => void,
): void {
  const remote = new Set<TrackedConnection>()
  const local = new Set<TrackedConnection>()
  const byEnds = new Map<string, TrackedConnection>()
  let isTrimming = false

  const close = (connection: TrackedConnection, origin = connection.origin): void => {
    onRefused(origin)
    connection.socket.destroy()
    remote.delete(connection)
    local.delete(connection)
  }

  const trimRemote = (newcomer: TrackedConnection): void => {
    const of = (name: string): TrackedConnection[] => [...remote].filter(({ origin }) => origin === name)
    const sameOrigin = of(newcomer.origin)
    if (sameOrigin.length > limits.perAddress) close(connectionToClose(sameOrigin) ?? newcomer)
    else if (remote.size > limits.remote) {
      const most = busiest([...remote], ({ origin }) => origin, newcomer.origin)
      close(connectionToClose(of(most)) ?? newcomer)
    }
  }

  /** Finding out who opened a connection takes a moment: until then there may be some more. */
  const trimLocal = async (): Promise<void> => {
    if (isTrimming) return
    isTrimming = true
    try {
      while (local.size > limits.local) {
        const all = [...local]
        const origins = await Promise.all(all.map(({ socket }) => originOf(socket)))
        const names = new Map(
          all.map((connection, index) => [connection, origins[index]?.name ?? connection.origin]),
        )
        const open = all.filter((connection) => local.has(connection))
        const nameOf = (connection: TrackedConnection): string => names.get(connection) ?? connection.origin
        const last = open.at(-1)
        const most = last && busiest(open, nameOf, nameOf(last))
        const closed = last && (connectionToClose(open.filter((it) => nameOf(it) === most)) ?? last)
        if (closed && local.size > limits.local) close(closed, nameOf(closed))
      }
    } finally {
      isTrimming = false
    }
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined) return void socket.destroy()
    const origin = peerNetwork(remoteAddress)
    const connection: TrackedConnection = { socket, origin, isVerified: false, hasAsked: false, underWay: 0 }
    const ends = endsOf(socket)
    const isLocal = isOwnAddress(socket)
    const group = isLocal ? local : remote
    group.add(connection)
    byEnds.set(ends, connection)
    connectionBySocket.set(socket, connection)
    socket.once('close', () => {
      group.delete(connection)
      if (byEnds.get(ends) === connection) byEnds.delete(ends)
    })
    if (!isLocal) trimRemote(connection)
    else if (local.size > burstFactor * limits.local) close(connection)
    else if (local.size > limits.local) void trimLocal()
  })
  server.on('secureConnection', (socket: Socket) => {
    const connection = byEnds.get(endsOf(socket))
    if (connection !== undefined) connectionBySocket.set(socket, connection)
  })
  server.on('request', ({ socket }, response) => {
    const connection = connectionBySocket.get(socket)
    if (connection === undefined) return
    connection.hasAsked = true
    connection.underWay += 1
    response.once('close', () => {
      connection.underWay -= 1
    })
  })
}
