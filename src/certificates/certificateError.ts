export type CertificateErrorCode =
  | 'authority-unreadable'
  | 'authority-expired'
  | 'authority-locked'
  | 'authority-passphrase'
  | 'bad-name'
  | 'outside-unreadable'
  | 'outside-other-key'
  | 'outside-incomplete'
  | 'outside-names'
  | 'outside-expired'
  | 'outside-not-yet-valid'
  | 'outside-purpose'
  | 'outside-issuer'

/** Reason why a certificate cannot be made, and the fix, for a person. */
export class CertificateError extends Error {
  readonly code: CertificateErrorCode
  readonly fix: string

  constructor(facts: { code: CertificateErrorCode; message: string; fix: string }) {
    super(facts.message)
    this.name = 'CertificateError'
    this.code = facts.code
    this.fix = facts.fix
  }
}
