import type { Socket } from 'node:net'
import type { Ends } from './proxyProtocol.ts'
import type { RoutedRole } from './routing.ts'
import type { Target } from './targets.ts'

/** Login of a client that is under way. */
export type Login = {
  /**
   * Returns whose words are awaited, and since when, as the clock elapses; undefined where it is known to be the
   * server that is slow. Behind TLS, a server's turn may also be that of a client that has sent half of something.
   */
  turn(): { readonly whose: 'client' | 'server'; readonly since: number } | undefined
  /** Ends it, for the client says nothing. */
  dismiss(): void
}

/** A client that a listener has accepted, with what becomes of it until it is joined to a database. */
export type Client = {
  readonly socket: Socket
  /** Ends of its own connection, which a load balancer may have passed on. */
  readonly ends: Ends
  readonly role: RoutedRole
  /** Origin by which logins are counted: an IPv4 address, or the network of an IPv6 address. */
  readonly origin: string
  /** Milliseconds, as the clock elapses. */
  readonly arrivedAt: number
  /** Data sources that could not be reached, and why. */
  tried: Target[]
  failures: string[]
  /** Set while it is being connected. */
  attempt: { leave(): void } | undefined
  /** Set from its greeting on until it has logged in, or was dismissed. */
  login: Login | undefined
  /** True once it is joined to a database, which then says when it ends. */
  isForwarded: boolean
}

/** Watches a client's socket; `onLeft` is called when it ends before it was joined to a database. */
export function createClient(
  arrival: Pick<Client, 'socket' | 'ends' | 'role' | 'origin' | 'arrivedAt'>,
  onLeft: (client: Client) => void,
): Client {
  const { socket } = arrival
  const client: Client = {
    ...arrival,
    tried: [],
    failures: [],
    attempt: undefined,
    login: undefined,
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
