import type { AccessLevel } from '../contracts/accessLevels.ts'

/** Listener that a request came through: the API, the channel between hosts of the cluster, or the Unix socket. */
export type Listener = 'tcp' | 'channel' | 'socket'

/**
 * Caller of a request: a user, a host of the cluster by its certificate, nobody named, or whoever may open the Unix
 * socket without a login.
 */
export type Caller =
  | { readonly kind: 'user'; readonly user: string; readonly access: AccessLevel }
  | { readonly kind: 'host'; readonly name: string }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'socket' }

/** Returns the name of a caller for states and logs: the user, or the kind of caller. */
export const callerName = (caller: Caller): string => (caller.kind === 'user' ? caller.user : caller.kind)

const hostOwner = 'host '

/** Returns the owner by whom streams are counted. */
export function streamOwner(caller: Caller | null, network: string): string {
  if (caller?.kind === 'user') return `user ${caller.user}`
  if (caller?.kind === 'host') return `${hostOwner}${caller.name}`
  return caller?.kind === 'socket' ? 'socket' : `anybody at ${network}`
}

/** Returns true for the owner of streams that a host opened by its certificate. */
export const isHostOwner = (owner: string): boolean => owner.startsWith(hostOwner)
