import { addressText } from '../base/address.ts'
import type { Secret } from '../secrets/secret.ts'
import { type Authority, signingCertificate, signingKey } from './authority.ts'
import { isIssuedBy } from './chain.ts'
import { generateKey, type KeyType } from './keyPair.ts'
import { coversName } from './leafProblems.ts'
import { certificatePem, certificatesOf } from './pem.ts'
import { alternativeNames, commonName, dayMs, type HostNames, validity } from './profile.ts'
import {
  authorityKey,
  leafConstraints,
  leafPurposes,
  leafUsage,
  nameOf,
  signCertificate,
  subjectKey,
  subjectNames,
  subjectOf,
} from './signCertificate.ts'

type RenewalReason = {
  readonly code:
    | 'unreadable'
    | 'other-authority'
    | 'not-yet-valid'
    | 'expired'
    | 'expires-soon'
    | 'names-missing'
    | 'other-key-type'
  /** The end of a sentence that begins with "the certificate". */
  readonly message: string
}

/**
 * Explains why a generated leaf must be renewed; undefined if it need not. A leaf that expires together with
 * its authority is not renewed for that, and a short-lived one only in its last third: a new one would be no
 * better, and a second run must not change anything.
 */
export function leafNeedsRenewal(
  options: HostNames & {
    /** PEM, leaf first. */
    readonly chain: string
    /** PEM. */
    readonly authority: string
    readonly now: Date
    readonly warningDays: number
    /** Required key type; default: any. */
    readonly keyType?: KeyType
  },
): RenewalReason | undefined {
  const leaf = certificatesOf(options.chain)?.[0]
  const authority = certificatesOf(options.authority)?.[0]
  if (leaf === undefined) return { code: 'unreadable', message: 'cannot be read' }
  if (authority === undefined || !isIssuedBy(leaf, authority)) {
    return { code: 'other-authority', message: "was not issued by the cluster's authority" }
  }
  const now = options.now.getTime()
  const begin = Date.parse(leaf.validFrom)
  const end = Date.parse(leaf.validTo)
  if (now < begin) return { code: 'not-yet-valid', message: `is valid only from ${leaf.validFrom}` }
  if (now >= end) return { code: 'expired', message: `expired on ${leaf.validTo}` }
  const margin = Math.min(options.warningDays * dayMs, (end - begin) / 3)
  if (end - now <= margin && end < Date.parse(authority.validTo)) {
    return { code: 'expires-soon', message: `expires on ${leaf.validTo}` }
  }
  const { dns, addresses } = alternativeNames(options)
  const missing = [...dns, ...addresses.map(addressText)].filter((name) => !coversName(leaf, name))
  if (missing.length > 0) {
    return { code: 'names-missing', message: `is not valid for ${missing.join(', ')}` }
  }
  const { keyType } = options
  if (keyType === undefined || leaf.publicKey.asymmetricKeyType === keyType) return undefined
  return { code: 'other-key-type', message: `is not of java-tls-key-type ${keyType}` }
}

/** Key and certificate of a host. */
export type Leaf = {
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** The leaf, then its authority; PEM. */
  readonly chain: string
}

/**
 * Issues a key and certificate for one host: valid for its names and addresses, localhost, 127.0.0.1 and ::1,
 * from 24 hours ago for `lifetimeDays`, at most until the authority expires. Throws `CertificateError`.
 */
export async function issueLeaf(
  options: HostNames & {
    readonly authority: Authority
    /** Default: P-256. */
    readonly keyType?: KeyType
    readonly lifetimeDays: number
    readonly now: Date
    readonly random?: (size: number) => Buffer
  },
): Promise<Leaf> {
  const authority = signingCertificate(options.authority, options.now)
  const names = alternativeNames(options)
  const { key, publicKey } = await generateKey(options.keyType)
  const authorityPublicKey = authority.publicKey.export({ format: 'der', type: 'spki' })
  const certificate = signCertificate({
    subject: nameOf(commonName(options.names[0] ?? options.addresses[0] ?? 'localhost')),
    publicKey,
    issuer: subjectOf(authority.raw),
    issuerKey: await signingKey(options.authority),
    validity: validity({
      now: options.now,
      days: options.lifetimeDays,
      within: { notBefore: new Date(authority.validFrom), notAfter: new Date(authority.validTo) },
    }),
    extensions: [
      leafConstraints(),
      leafUsage(options.keyType),
      leafPurposes(),
      subjectNames(names),
      subjectKey(publicKey),
      authorityKey(authorityPublicKey),
    ],
    ...(options.random === undefined ? {} : { random: options.random }),
  })
  return { key, chain: certificate + certificatePem(authority.raw) }
}
