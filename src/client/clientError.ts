import { boundedMessage } from '../base/printable.ts'

/** Reasons why a call got no response from an API. */
export const clientErrorCodes = [
  'refused',
  'no-socket',
  'socket-forbidden',
  'unreachable',
  'name-not-found',
  'timeout',
  'reset',
  'certificate-untrusted',
  'certificate-names',
  'certificate-other',
  'certificate-expired',
  'certificate-not-yet-valid',
  'bad-authority',
  'tls',
  'bad-answer',
  'too-large',
  'bad-request',
  'interrupted',
  'failed',
] as const

export type ClientErrorCode = (typeof clientErrorCodes)[number]

const known: readonly string[] = clientErrorCodes

export const isClientErrorCode = (word: string): word is ClientErrorCode => known.includes(word)

/** Facts of a ClientError; no header, body or credential. */
export type ClientErrorFacts = {
  readonly code: ClientErrorCode
  /** One sentence: what happened and where. */
  readonly message: string
  /** One or two sentences. */
  readonly fix: string
}

/**
 * A call without a response: what happened, where, and the fix, for a person. All text is made printable
 * here.
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  readonly fix: string

  constructor(facts: ClientErrorFacts) {
    super(boundedMessage(facts.message))
    this.name = 'ClientError'
    this.code = facts.code
    this.fix = boundedMessage(facts.fix)
  }
}

const neverReached: readonly ClientErrorCode[] = [
  'refused',
  'no-socket',
  'unreachable',
  'name-not-found',
  'timeout',
  'reset',
]

/** Returns true if the host or its API could not be reached, rather than responded wrongly. */
export const isUnreachable = (code: ClientErrorCode): boolean => neverReached.includes(code)
