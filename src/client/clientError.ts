import { boundedMessage } from '../base/printable.ts'

/** Why a call brought no answer of an API. */
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

/** What a ClientError tells: never a header, a body or a credential. */
export type ClientErrorFacts = {
  readonly code: ClientErrorCode
  /** What happened and where, one sentence. */
  readonly message: string
  /** What to do about it, one or two sentences. */
  readonly fix: string
}

/**
 * A call that brought no answer: what happened, where, and the fix, in words for a person. They are made printable here,
 * whatever they quote.
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

/** Whether an error means that the host or its API could not be reached, rather than that it is wrong. */
export const isUnreachable = (code: ClientErrorCode): boolean => neverReached.includes(code)
