import type { X509Certificate } from 'node:crypto'
import { canonicalAddress } from '../base/address.ts'
import { certificatesOf } from './pem.ts'
import { dayMs } from './profile.ts'

/** Fields of a certificate. */
export type CertificateFacts = {
  /** On one line, such as `CN=db1`. */
  readonly subject: string
  /** On one line. */
  readonly issuer: string
  /** Subject alternative names: DNS names and IP addresses. */
  readonly names: readonly string[]
  /** In hexadecimal. */
  readonly serial: string
  /** SHA-256, in pairs of hexadecimal digits with colons. */
  readonly fingerprint: string
  /** RFC 3339, as `notAfter`. */
  readonly notBefore: string
  readonly notAfter: string
  /** Whole days until expiry; negative after it. */
  readonly daysLeft: number
}

/** Reads the fields of a certificate; `now` is for `daysLeft`. */
export function certificateFacts(certificate: X509Certificate, now: Date): CertificateFacts {
  const { subject, issuer, subjectAltName, serialNumber, fingerprint256, validFrom, validTo } = certificate
  return {
    subject: oneLine(subject),
    issuer: oneLine(issuer),
    names: subjectAltName?.split(', ').map((name) => canonicalName(name.replace(/^[^:]*:/, ''))) ?? [],
    serial: serialNumber,
    fingerprint: fingerprint256,
    notBefore: new Date(validFrom).toISOString(),
    notAfter: new Date(validTo).toISOString(),
    daysLeft: Math.floor((Date.parse(validTo) - now.getTime()) / dayMs),
  }
}

/** Reads the leaf of a PEM chain; undefined if it cannot be parsed. */
export function leafFacts(chain: string, now: Date): CertificateFacts | undefined {
  const leaf = certificatesOf(chain)?.[0]
  return leaf && certificateFacts(leaf, now)
}

/** Compresses an IPv6 address: OpenSSL writes all eight groups. */
const canonicalName = (name: string): string => canonicalAddress(name) ?? name

const oneLine = (name: string | undefined): string => name?.split('\n').join(', ') ?? ''
