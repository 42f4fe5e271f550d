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
const overshoot = 4

type TrackedConnection = { readonly socket: Socket; readonly origin: string; isVerified: boolean }

/** State of each connection, by the socket that requests come from. */
const connectionBySocket = new WeakMap<Socket, TrackedConnection>()

/** Marks a connection over which a login was verified: it is not closed for the sake of others any more. */
export function markVerified(socket: Socket): void {
  const kept = connectionBySocket.get(socket)
  if (kept !== undefined) kept.isVerified = true
}

/** Returns the newest unverified connection of the origin that has most; of `newcomer` where none has more. */
function connectionToClose(
  all: readonly TrackedConnection[],
  originOfKept: (kept: TrackedConnection) => string,
  newcomer: string,
): TrackedConnection | undefined {
  const counts = new Map<string, number>()
  for (const kept of all) counts.set(originOfKept(kept), (counts.get(originOfKept(kept)) ?? 0) + 1)
  let most = newcomer
  for (const [origin, count] of counts) if (count > (counts.get(most) ?? 0)) most = origin
  return all.findLast((kept) => originOfKept(kept) === most && !kept.isVerified)
}

/**
 * Bounds the connections of a server. Where one comes beyond, the newest of the address, or of the user of this host,
 * that has most is closed; one over which a login was verified stays. `onRefused` gets the origin of the closed one.
 */
export function limitConnections(
  server: { on(event: 'connection' | 'secureConnection', listener: (socket: Socket) => void): unknown },
  limits: ConnectionLimits,
  onRefused: (origin: string) => void,
): void {
  const remote = new Set<TrackedConnection>()
  const local = new Set<TrackedConnection>()
  const byEnds = new Map<string, TrackedConnection>()
  let trimming = false

  const refuse = (kept: TrackedConnection, origin = kept.origin): void => {
    onRefused(origin)
    kept.socket.destroy()
    remote.delete(kept)
    local.delete(kept)
  }

  const trimRemote = (newcomer: TrackedConnection): void => {
    const ofSame = [...remote].filter(({ origin }) => origin === newcomer.origin)
    if (ofSame.length > limits.perAddress) refuse(newcomer)
    else if (remote.size > limits.remote) {
      refuse(connectionToClose([...remote], ({ origin }) => origin, newcomer.origin) ?? newcomer)
    }
  }

  /** Finding out who opened a connection takes a moment: until then there may be some more. */
  const trimLocal = async (): Promise<void> => {
    if (trimming) return
    trimming = true
    try {
      while (local.size > limits.local) {
        const all = [...local]
        const origins = await Promise.all(all.map(({ socket }) => originOf(socket)))
        const names = new Map(all.map((kept, index) => [kept, origins[index]?.name ?? kept.origin]))
        const still = all.filter((kept) => local.has(kept))
        const nameOf = (kept: TrackedConnection): string => names.get(kept) ?? kept.origin
        const last = still.at(-1)
        const closed = last && (connectionToClose(still, nameOf, nameOf(last)) ?? last)
        if (closed && local.size > limits.local) refuse(closed, nameOf(closed))
      }
    } finally {
      trimming = false
    }
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined) return void socket.destroy()
    const kept: TrackedConnection = { socket, origin: peerNetwork(remoteAddress), isVerified: false }
    const ends = endsOf(socket)
    const isLocal = isOwnAddress(socket)
    const room = isLocal ? local : remote
    room.add(kept)
    byEnds.set(ends, kept)
    connectionBySocket.set(socket, kept)
    socket.once('close', () => {
      room.delete(kept)
      if (byEnds.get(ends) === kept) byEnds.delete(ends)
    })
    if (!isLocal) trimRemote(kept)
    else if (local.size > overshoot * limits.local) refuse(kept)
    else if (local.size > limits.local) void trimLocal()
  })
  server.on('secureConnection', (socket: Socket) => {
    const kept = byEnds.get(endsOf(socket))
    if (kept !== undefined) connectionBySocket.set(socket, kept)
  })
}
