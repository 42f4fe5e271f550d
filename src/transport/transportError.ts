import { boundedMessage } from '../base/printable.ts'

/** Why a host could not be reached or did not do as told; `unreachable` codes mean exit code 4. */
export type TransportErrorCode =
  | 'connection-refused'
  | 'connection-timeout'
  | 'connection-lost'
  | 'name-not-found'
  | 'no-ssh-banner'
  | 'login-refused'
  | 'no-login-method'
  | 'host-key-unknown'
  | 'host-key-changed'
  | 'host-key-revoked'
  | 'forwarding-refused'
  | 'ssh-config'
  | 'sudo-refused'
  | 'timeout'
  | 'too-much-output'
  | 'bad-answer'
  | 'not-run'
  | 'write-failed'
  | 'stopped'

/**
 * A failure of the way to a host: what happened, why, and the fix, in words for a person. They are made printable here,
 * whatever they quote.
 */
export class TransportError extends Error {
  readonly host: string
  readonly code: TransportErrorCode
  readonly fix: string
  /** The jump host that failed on the way, as messages call it. */
  readonly jump?: string

  constructor(facts: {
    host: string
    code: TransportErrorCode
    message: string
    fix: string
    jump?: string
    cause?: unknown
  }) {
    super(boundedMessage(facts.message), { cause: facts.cause })
    this.name = 'TransportError'
    this.host = facts.host
    this.code = facts.code
    this.fix = boundedMessage(facts.fix)
    if (facts.jump !== undefined) this.jump = facts.jump
  }
}
