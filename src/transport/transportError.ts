import { boundedMessage } from '../base/printable.ts'

/** `unreachable` codes mean exit code 4. */
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
 * A failure to connect or to run on a host: what happened, why, and the fix, in words for a person. All text
 * is made printable here.
 */
export class TransportError extends Error {
  readonly host: string
  readonly code: TransportErrorCode
  readonly fix: string
  /** The jump host that failed, named for messages. */
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
