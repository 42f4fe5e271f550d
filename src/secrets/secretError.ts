import type { ReferencePlace } from './reference.ts'

export type SecretErrorCode =
  | 'secret-withheld'
  | 'variable-missing'
  | 'file-missing'
  | 'file-unreadable'
  | 'file-not-text'
  | 'program-failed'
  | 'secret-empty'

/**
 * Reason why a secret could not be read, and the fix, for a person. It never contains any part of the secret.
 */
export class SecretError extends Error {
  readonly code: SecretErrorCode
  /** A part of a sentence. */
  readonly reason: string
  readonly fix: string

  constructor(facts: {
    readonly code: SecretErrorCode
    readonly reason: string
    readonly fix: string
    readonly at?: ReferencePlace | undefined
  }) {
    const { at, code, reason, fix } = facts
    const what = at === undefined ? 'A secret' : `${at.option} (${at.place})`
    super(`${what} cannot be read: ${reason}.`)
    this.name = 'SecretError'
    this.code = code
    this.reason = reason
    this.fix = fix
  }
}
