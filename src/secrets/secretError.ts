export type SecretErrorCode =
  | 'variable-missing'
  | 'file-missing'
  | 'file-unreadable'
  | 'file-not-text'
  | 'program-not-run'
  | 'program-failed'
  | 'secret-empty'

/** Why a secret could not be read, and the fix, in words for a person. It never holds any part of the secret. */
export class SecretError extends Error {
  readonly code: SecretErrorCode
  readonly fix: string

  constructor(facts: { code: SecretErrorCode; message: string; fix: string; cause?: unknown }) {
    super(facts.message, { cause: facts.cause })
    this.name = 'SecretError'
    this.code = facts.code
    this.fix = facts.fix
  }
}
