import type { X509Certificate } from 'node:crypto'
import { canonicalAddress } from '../base/address.ts'
import { certificatesOf } from './pem.ts'
import { dayMs } from './profile.ts'

/** What a certificate says about itself. */
export type CertificateFacts = {
  /** In one line, such as `CN=db1`. */
  readonly subject: string
  /** In one line. */
  readonly issuer: string
  /** Subject alternative names: DNS names and IP addresses. */
  readonly names: readonly string[]
  /** In hexadecimal. */
  readonly serial: string
  /** SHA-256, in pairs of hexadecimal digits with colons. */
  readonly fingerprint: string
  /** RFC 3339, as the next one. */
  readonly notBefore: string
  readonly notAfter: string
  /** Whole days until it ends; negative when it has ended. */
  readonly daysLeft: number
}

/** The facts of a certificate; `now` is what its days are counted from. */
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

/** The facts of the leaf of a PEM chain; undefined where it cannot be read. */
export function leafFacts(chain: string, now: Date): CertificateFacts | undefined {
  const leaf = certificatesOf(chain)?.[0]
  return leaf && certificateFacts(leaf, now)
}

/** OpenSSL writes all eight groups of an IPv6 address. */
const canonicalName = (name: string): string => canonicalAddress(name) ?? name

const oneLine = (name: string | undefined): string => name?.split('\n').join(', ') ?? ''
