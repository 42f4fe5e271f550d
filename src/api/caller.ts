import type { AccessLevel } from '../contracts/accessLevels.ts'

/** Listener that a request came through. */
export type Listener = 'tcp' | 'socket'

/**
 * Caller of a request: a user, a host of the cluster by its certificate, nobody named, or whoever may open the Unix
 * socket without a login.
 */
export type Caller =
  | { readonly kind: 'user'; readonly user: string; readonly access: AccessLevel }
  | { readonly kind: 'host'; readonly name: string }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'socket' }
