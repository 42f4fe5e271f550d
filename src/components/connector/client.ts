import type { Socket } from 'node:net'
import type { RoutedRole } from './routing.ts'
import type { Target } from './targets.ts'

/** A client that a listener has accepted, with what becomes of it until it is joined to a database. */
export type Client = {
  readonly socket: Socket
  readonly role: RoutedRole
  /** Origin by which logins are counted: an IPv4 address, or the network of an IPv6 address. */
  readonly origin: string
  /** Milliseconds, as the clock elapses. */
  readonly arrivedAt: number
  /** Data sources that could not be reached, and why. */
  tried: Target[]
  failures: string[]
  /** True while it counts among the clients that log in. */
  isAdmitted: boolean
  /** Set while it is being connected. */
  attempt: { leave(): void } | undefined
  /** True once it is joined to a database, which then says when it ends. */
  isForwarded: boolean
}

/** Watches a client's socket; `onLeft` is called when it ends before it was joined to a database. */
export function createClient(
  arrival: Pick<Client, 'socket' | 'role' | 'origin' | 'arrivedAt'>,
  onLeft: (client: Client) => void,
): Client {
  const { socket } = arrival
  const client: Client = {
    ...arrival,
    tried: [],
    failures: [],
    isAdmitted: false,
    attempt: undefined,
    isForwarded: false,
  }
  socket.on('error', () => undefined)
  // Paused here, after it began to read, it still notices that a client leaves; `pauseOnConnect` would not.
  socket.pause()
  socket.on('end', () => {
    if (!client.isForwarded) socket.destroy()
  })
  socket.on('close', () => {
    if (!client.isForwarded) onLeft(client)
  })
  return client
}
