/** Why a client was turned away; a label in /metrics. */
export const refusalReasons = [
  'offline',
  'stopping',
  'too-many-held',
  'held-too-long',
  'no-data-source',
  'unreachable',
  'blocked',
  'refused-by-database',
  'broken-login',
] as const

export type RefusalReason = (typeof refusalReasons)[number]

/** What a client is told that is turned away: the server's error number for it, and words. */
export type Refusal = { readonly reason: RefusalReason; readonly number: number; readonly message: string }

/*
 * Numbers that servers have for refusing a connection. Client libraries make SQLSTATE class 08, a connection that
 * failed, of each of them, so that one with several addresses tries the next.
 */
const tooManyConnections = 1040
const badHost = 1042
/** With it a server answers what is no login, and counts it against the host. */
export const badHandshake = 1043
const serverShutdown = 1053
/** With it a server turns away a host of which too many logins were broken off. */
export const hostBlocked = 1129

const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`

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

/** What a server says instead of greeting, such as that it has too many connections. */
export const refusedByDatabase = (said: { readonly number: number; readonly message: string }): Refusal => ({
  reason: 'refused-by-database',
  ...said,
})

/** Why a server turns this host away, and the way out, as the end of a sentence that begins with its name. */
export const blocksThisHost =
  'blocks this host after too many broken logins (error 1129): run FLUSH HOSTS there, and raise max_connect_errors, ' +
  'since all clients reach it from this one address'

/** `why` is what the routing says. */
export const noDataSource = (why: string): Refusal => ({
  reason: 'no-data-source',
  number: badHost,
  message: `The connector has no database for this connection: ${why}.`,
})

/** `attempts` are data sources, each with why it was not reached. */
export const unreachable = (service: string, attempts: readonly string[], isBlocked: boolean): Refusal => ({
  reason: isBlocked ? 'blocked' : 'unreachable',
  number: isBlocked ? hostBlocked : badHost,
  message: `The connector reaches no database of service ${service}: ${attempts.join('; ')}.`,
})
