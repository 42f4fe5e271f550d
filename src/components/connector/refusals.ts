/** Why a client was turned away; a label in /metrics. */
export const refusalReasons = [
  'offline',
  'stopping',
  'too-many-held',
  'held-too-long',
  'no-data-source',
  'unreachable',
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
const serverShutdown = 1053

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

/** `why` is what the routing says. */
export const noDataSource = (why: string): Refusal => ({
  reason: 'no-data-source',
  number: badHost,
  message: `The connector has no database for this connection: ${why}.`,
})

/** `attempts` are data sources, each with why it was not reached. */
export const unreachable = (service: string, attempts: readonly string[]): Refusal => ({
  reason: 'unreachable',
  number: badHost,
  message: `The connector reaches no database of service ${service}: ${attempts.join('; ')}.`,
})
