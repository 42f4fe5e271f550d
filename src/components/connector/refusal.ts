import type { Socket } from 'node:net'
import { errorCode, systemReason } from '../../base/systemErrors.ts'
import type { Clock } from '../clock.ts'

/** Returns why a database cannot be reached, as the end of a sentence that begins with its name. */
export function explainDial(error: unknown): string {
  const code = errorCode(error)
  switch (code) {
    case 'ECONNREFUSED':
      return 'refuses connections: nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has a name that this host does not know'
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'has an address to which this host has no route'
    case 'ETIMEDOUT':
      return 'did not answer in time'
    default:
      return `cannot be reached (${systemReason(code) ?? code ?? 'no reason given'})`
  }
}

const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`

/** Explains that a server hangs, as the end of a sentence that begins with its name. */
export const greetedTooLate = (milliseconds: number): string =>
  `accepted a connection but did not greet within ${seconds(milliseconds)}`

/** Reasons for rejecting a client; a label in /metrics. */
export const refusalReasons = [
  'offline',
  'stopping',
  'too-many-held',
  'held-too-long',
  'no-data-source',
  'no-writer',
  'no-manager',
  'unreachable',
  'blocked',
  'refused-by-database',
  'broken-login',
  'proxy-header',
] as const

export type RefusalReason = (typeof refusalReasons)[number]

/** Error that a rejected client receives: the server's number for it, and a message. */
export type Refusal = { readonly reason: RefusalReason; readonly number: number; readonly message: string }

/*
 * Numbers that servers have for refusing a connection. Client libraries make SQLSTATE class 08, a connection that
 * failed, of each of them, so that one with several addresses tries the next.
 */
const tooManyConnections = 1040
const badHost = 1042
/** Number with which a server rejects a broken handshake, and counts it against the host. */
export const badHandshake = 1043
const serverShutdown = 1053
/** With it a server turns away a host of which too many logins were broken off. */
export const hostBlocked = 1129

export const offline = (since: string): Refusal => ({
  reason: 'offline',
  number: serverShutdown,
  message: `The connector is OFFLINE since ${since} and takes no connections.`,
})

export const stopping: Refusal = {
  reason: 'stopping',
  number: serverShutdown,
  message: 'The connector is stopping and takes no more connections.',
}

export const tooManyHeld = (most: number): Refusal => ({
  reason: 'too-many-held',
  number: tooManyConnections,
  message:
    `Too many connections: the connector is ONHOLD, and ${most} wait already, which is the most that ` +
    'connector-max-held allows. Try again later.',
})

export const heldTooLong = (milliseconds: number): Refusal => ({
  reason: 'held-too-long',
  number: tooManyConnections,
  message:
    `The connector is ONHOLD, and this connection waited ${seconds(milliseconds)}, which is the longest that ` +
    'connector-max-hold allows. Try again later.',
})

export const tooManyPending = (most: number): Refusal => ({
  reason: 'too-many-held',
  number: tooManyConnections,
  message:
    `Too many connections: too many clients are logging in, and ${most} wait already, which is the most that ` +
    'connector-max-held allows. Try again later.',
})

export const pendingTooLong = (milliseconds: number): Refusal => ({
  reason: 'held-too-long',
  number: tooManyConnections,
  message:
    `Too many clients are logging in or broke their logins off, and this connection waited ${seconds(milliseconds)}, ` +
    'which is the longest that connector-max-hold allows. Try again later.',
})

/** `what` the client did, such as `did not go on`. */
export const brokenLogin = (what: string): Refusal => ({
  reason: 'broken-login',
  number: badHandshake,
  message: `The connector ends this connection: within the login the client ${what}.`,
})

/** Said of a connection of a load balancer, which has to name its client. */
export const withoutHeader = 'did not begin with a header of the PROXY protocol'

/** The same of one that said nothing, or not all of a header, in time. */
export const headerTooLate = (milliseconds: number): string =>
  `sent no header of the PROXY protocol within ${seconds(milliseconds)}`

/** `from` is the address that the connection comes from, `what` one of the above. */
export const noProxyHeader = (from: string, what: string): Refusal => ({
  reason: 'proxy-header',
  number: badHandshake,
  message: `The connector ends this connection, which ${what}: application-proxy-networks names ${from}.`,
})

/** Passes on the error that a server sends instead of a greeting, such as too many connections. */
export const refusedByDatabase = (said: { readonly number: number; readonly message: string }): Refusal => ({
  reason: 'refused-by-database',
  ...said,
})

/** Explains why a server blocks this host, and the fix, as the end of a sentence that begins with its name. */
export const blocksThisHost =
  'blocks this host after too many broken logins (error 1129): run FLUSH HOSTS there, and raise max_connect_errors, ' +
  'since all clients reach it from this one address'

/** `why` is what the routing says. */
export const noDataSource = (why: string): Refusal => ({
  reason: 'no-data-source',
  number: badHost,
  message: `The connector has no database for this connection: ${why}.`,
})

/** `why` is what the routing says. */
export const noWriter = (why: string, milliseconds: number): Refusal => ({
  reason: 'no-writer',
  number: badHost,
  message:
    `No database takes writes, and this connection waited ${seconds(milliseconds)}, which is the longest that ` +
    `connector-max-hold allows: ${why}.`,
})

/** `why` is what the routing says. */
export const tooManyForWriter = (why: string, most: number): Refusal => ({
  reason: 'too-many-held',
  number: tooManyConnections,
  message:
    `Too many connections: no database takes writes, and ${most} wait already, which is the most that ` +
    `connector-max-held allows: ${why}.`,
})

/** `since` is when the last manager was lost, `milliseconds` how long its last word counts. */
export const noManager = (since: Date, milliseconds: number): Refusal => ({
  reason: 'no-manager',
  number: badHost,
  message:
    `The connector takes no new connections: no manager answers since ${since.toISOString()}, which is longer than ` +
    `the ${seconds(milliseconds)} that connector-manager-timeout allows.`,
})

/** `attempts` are data sources, each with why it was not reached. */
export const unreachable = (service: string, attempts: readonly string[], isBlocked: boolean): Refusal => ({
  reason: isBlocked ? 'blocked' : 'unreachable',
  number: isBlocked ? hostBlocked : badHost,
  message: `The connector reaches no database of service ${service}: ${attempts.join('; ')}.`,
})

/** Bytes of a message that clients show: their buffers for it hold 512 (MYSQL_ERRMSG_SIZE). */
const longest = 500

/**
 * Builds the packet with which a MySQL or MariaDB server refuses a connection instead of greeting it: ERR_Packet with
 * sequence number 0, unless it answers something. It has no SQLSTATE, since no capabilities are agreed yet;
 * MariaDB 10.11 sends it so, too.
 */
export function errorPacket(number: number, message: string, sequence = 0): Buffer {
  const text = Buffer.from(message, 'utf8').subarray(0, longest)
  const packet = Buffer.alloc(7 + text.length)
  packet.writeUIntLE(3 + text.length, 0, 3)
  packet[3] = sequence
  packet[4] = 0xff
  packet.writeUInt16LE(number, 5)
  text.copy(packet, 7)
  return packet
}

/** Milliseconds that a client gets to read why. */
const linger = 2000

/**
 * Sends the error to a client and ends the connection after it was read. `sequence` is 0 for a client that was
 * not greeted yet, else the next number of its login.
 */
export function rejectClient(socket: Socket, refusal: Refusal, clock: Clock, sequence = 0): void {
  const cancel = clock.after(linger, () => socket.destroy())
  socket.on('close', cancel)
  socket.end(errorPacket(refusal.number, refusal.message, sequence))
  // What it sent must be read: closed with something unread, the kernel resets, which discards the error.
  socket.resume()
}
