import type { Secret } from '../secrets/secret.ts'
import { type Authority, signingCertificate } from './authority.ts'
import { signingKey } from './authorityKey.ts'
import {
  authorityKey,
  leafConstraints,
  leafPurposes,
  leafUsage,
  subjectKey,
  subjectNames,
} from './extensions.ts'
import { generateKey, type KeyType } from './keyPair.ts'
import { certificatePem } from './pem.ts'
import { alternativeNames, commonName, type HostNames, validity } from './profile.ts'
import { nameOf, signCertificate, subjectOf } from './signCertificate.ts'

/** A host's own key and certificate. */
export type Leaf = {
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** The leaf, then its authority; PEM. */
  readonly chain: string
}

/**
 * A new key and certificate for one host: valid for its names and addresses, localhost, 127.0.0.1 and ::1,
 * from 24 hours ago for `lifetimeDays`, never beyond the authority's own time. Throws `CertificateError`.
 */
export async function issueLeaf(
  options: HostNames & {
    readonly authority: Authority
    /** P-256 unless given. */
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
