import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { CertificateError, type CertificateErrorCode } from './certificateError.ts'
import { certificateFacts } from './certificateFacts.ts'
import { chainOf, isIssuedBy } from './chain.ts'
import { coversName } from './leafProblems.ts'
import { certificatePem, certificatesOf } from './pem.ts'

/** Certificate that an outside authority issued for a request. */
type OutsideCertificate = {
  /** The leaf and its issuers without the authority; PEM. */
  readonly chain: string
  /** The authority alone, PEM. */
  readonly authority: string
  /** Problems that do not prevent the use, as sentences. */
  readonly warnings: readonly string[]
}

/** serverAuth (RFC 5280, section 4.2.1.12). */
const serverAuth = '1.3.6.1.5.5.7.3.1'

/**
 * Checks certificates (PEM, in any order) of an outside authority against the requested key: the leaf belongs
 * to the key, is valid now, for servers, and for the host; each issuer up to a self-signed authority is
 * present, signed the previous certificate, and is valid. Throws a `CertificateError`, code `outside-…`.
 */
export function checkOutsideCertificate(options: {
  /** As given by the operator. */
  readonly pem: string
  readonly key: Secret
  readonly host: string
  /** Names used by clients and by the verification of an installation: all must be covered. */
  readonly called: readonly string[]
  /** Other names of the host: a missing one is a warning. */
  readonly names: readonly string[]
  readonly now: Date
}): OutsideCertificate {
  const { pem, key, host, called, names, now } = options
  const given = certificatesOf(pem)
  if (given === undefined) {
    throw refused(
      'outside-unreadable',
      'The file contains no PEM certificate, or one that cannot be read',
      'Use a PEM file, which begins with BEGIN CERTIFICATE. Convert DER with: openssl x509 -inform der -in FILE',
    )
  }
  const own = createPrivateKey(key.reveal())
  const leaf = given.find((one) => one.checkPrivateKey(own))
  if (leaf === undefined) {
    const subjects = given.map((one) => certificateFacts(one, now).subject).join('; ')
    throw refused(
      'outside-other-key',
      `None of the certificates (${subjects}) belongs to the key of ${host}`,
      `Let the authority sign the request of \`muster cert csr --host ${host}\`, and check that the file is for this host.`,
    )
  }
  const links = chainOf(leaf, given)
  const last = links.at(-1) ?? leaf
  if (!isIssuedBy(last, last)) {
    const { subject, issuer } = certificateFacts(last, now)
    throw refused(
      'outside-incomplete',
      `The chain is incomplete: it ends with ${subject}, and its issuer ${issuer} is not in the file`,
      'Append the certificates of its issuers to the file, up to the authority itself: cat leaf.pem intermediate.pem root.pem > chain.pem',
    )
  }
  checkValidity(links, now)
  checkPurpose(links, host)
  const missing = called.filter((name) => !coversName(leaf, name))
  if (missing.length > 0) {
    const has = certificateFacts(leaf, now).names.join(', ') || 'no name at all'
    throw refused(
      'outside-names',
      `The certificate is valid for ${has}, but clients connect to ${host} as ${missing.join(', ')}`,
      `Let the authority sign all subject alternative names of the request of \`muster cert csr --host ${host}\`.`,
    )
  }
  const uncovered = names.filter((name) => !called.includes(name) && !coversName(leaf, name))
  return {
    chain: links.map((one) => certificatePem(one.raw)).join(''),
    authority: certificatePem(last.raw),
    warnings: uncovered.length === 0 ? [] : [`the certificate is not valid for ${uncovered.join(', ')}`],
  }
}

function checkValidity(links: readonly X509Certificate[], now: Date): void {
  for (const one of links) {
    const { subject, notBefore, notAfter } = certificateFacts(one, now)
    if (now.getTime() > Date.parse(notAfter)) {
      throw refused(
        'outside-expired',
        `The certificate ${subject} expired on ${notAfter.slice(0, 10)}`,
        'Request a new certificate.',
      )
    }
    if (now.getTime() < Date.parse(notBefore)) {
      throw refused(
        'outside-not-yet-valid',
        `The certificate ${subject} is valid only from ${notBefore.slice(0, 10)}`,
        "Check this machine's clock, or import the certificate on that day.",
      )
    }
  }
}

function checkPurpose([leaf, ...issuers]: readonly X509Certificate[], host: string): void {
  const purposes: readonly string[] | undefined = leaf?.keyUsage
  if (purposes !== undefined && !purposes.includes(serverAuth)) {
    throw refused(
      'outside-purpose',
      `The certificate of ${host} is not meant for servers: its extended key usage lacks serverAuth`,
      'Let the authority sign it with a profile for web servers.',
    )
  }
  const nonAuthority = issuers.find((one) => !one.ca)
  if (nonAuthority !== undefined) {
    throw refused(
      'outside-issuer',
      `${nonAuthority.subject.split('\n').join(', ')} cannot sign certificates, but signed one of the chain`,
      'Ask the authority for a valid chain: clients reject this one.',
    )
  }
}

const refused = (code: CertificateErrorCode, what: string, fix: string): CertificateError =>
  new CertificateError({ code, message: what, fix })
