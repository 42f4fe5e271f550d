/** Listener that a request came through. */
export type Listener = 'tcp' | 'socket'

/** Caller of a request: a user, nobody named, or whoever may open the Unix socket without a login. */
export type Caller =
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'socket' }
