export type CertificateErrorCode = 'authority-unreadable' | 'authority-expired' | 'bad-name'

/** A certificate that cannot be made: why and the fix, in words for a person. */
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
