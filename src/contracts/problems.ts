/** Every way in which a call can fail: the stable code, its HTTP status and title (contract.md, "Envelope"). */
export const problems = {
  'bad-request': { status: 400, title: 'The request is not well-formed HTTP' },
  'malformed-json': { status: 400, title: 'The body is not well-formed JSON' },
  'invalid-body': { status: 400, title: 'The body does not have the shape that this call takes' },
  'unknown-query': { status: 400, title: 'The query has members that this call does not take' },
  'not-confirmed': { status: 400, title: 'This call changes things and was not confirmed' },
  'invalid-user-name': { status: 400, title: 'The user name breaks the rules for user names' },
  'invalid-password': { status: 400, title: 'The password breaks the rules for passwords' },
  'no-user': { status: 401, title: 'This host has no user yet' },
  'login-required': { status: 401, title: 'This call needs a user and a password' },
  'login-refused': { status: 401, title: 'The user or the password is wrong' },
  'cross-site': { status: 403, title: 'A page of another site must not make this call' },
  'remote-bootstrap': { status: 403, title: 'The first user must be created on the host itself' },
  'not-found': { status: 404, title: 'There is no such resource' },
  'method-not-allowed': { status: 405, title: 'This resource does not take that method' },
  'not-acceptable': { status: 406, title: 'The answer has no form that the caller accepts' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'last-user': { status: 409, title: 'The last user cannot be deleted' },
  'body-too-large': { status: 413, title: 'The body is larger than 64 KiB' },
  'not-json': { status: 415, title: 'The body is not application/json' },
  'unknown-host': { status: 421, title: 'The Host header names another server' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'The server has a fault of its own' },
  stopping: { status: 503, title: 'The server is stopping' },
  'not-ready': { status: 503, title: 'The server is not ready' },
  busy: { status: 503, title: 'The server has too much to do at the moment' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>

export type ProblemCode = keyof typeof problems

/** Whether a word is a code of the table. */
export const isProblemCode = (word: string): word is ProblemCode => Object.hasOwn(problems, word)
