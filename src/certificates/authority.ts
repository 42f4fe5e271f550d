import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { isLocked, lockAs } from './authorityKey.ts'
import { CertificateError } from './certificateError.ts'
import { isIssuedBy } from './chainOf.ts'
import { authorityConstraints, authorityUsage, subjectKey } from './extensions.ts'
import { generateKey } from './keyPair.ts'
import { certificatesOf } from './pem.ts'
import { commonName, validity } from './profile.ts'
import { nameOf, signCertificate } from './signCertificate.ts'

/** A cluster's own certificate authority. */
export type Authority = {
  /** PEM. */
  readonly certificate: string
  /** PKCS#8 PEM, maybe encrypted with a passphrase. */
  readonly key: Secret
  /** Asks for that passphrase; absent where nobody can be asked. */
  readonly passphrase?: () => Promise<Secret>
}

/** 10 years. */
const lifetimeDays = 3652

/**
 * A new authority for a cluster, valid for 10 years from 24 hours ago; it may sign leaves only. The key of a
 * successor is protected as that of the one before; only then does this throw, as `signingKey`.
 */
export async function createAuthority(options: {
  readonly cluster: string
  readonly now: Date
  readonly random?: (size: number) => Buffer
  /** The one whose place it takes: people tell the two apart by the day in its name. */
  readonly successorOf?: Authority
}): Promise<Authority> {
  const { successorOf } = options
  const { key, publicKey } = await generateKey()
  const day = successorOf === undefined ? '' : ` ${options.now.toISOString().slice(0, 10)}`
  // The words around the cluster's name must survive the limit of 64 characters.
  const cluster = commonName(options.cluster).slice(0, day === '' ? 40 : 36)
  const name = nameOf(`muster ${cluster} authority${day}`)
  const certificate = signCertificate({
    subject: name,
    publicKey,
    issuer: name,
    issuerKey: key,
    validity: validity({ now: options.now, days: lifetimeDays }),
    extensions: [authorityConstraints(), authorityUsage(), subjectKey(publicKey)],
    ...(options.random === undefined ? {} : { random: options.random }),
  })
  if (successorOf === undefined) return { certificate, key }
  return { ...successorOf, certificate, key: await lockAs(successorOf, key) }
}

/**
 * What keeps these two from being an authority that can sign, as the end of a sentence that begins with
 * "the authority"; undefined when nothing does. Its time is not judged.
 */
export function authorityDefect(authority: Authority): string | undefined {
  const certificate = certificatesOf(authority.certificate)?.[0]
  if (certificate === undefined) return 'has a certificate that cannot be read'
  if (!certificate.ca) return 'has a certificate that may not sign others'
  // Whether an encrypted key belongs to it is seen when it signs.
  if (isLocked(authority.key)) return undefined
  try {
    if (certificate.checkPrivateKey(createPrivateKey(authority.key.reveal()))) return undefined
  } catch {
    return 'has a key that cannot be read'
  }
  return 'has a key that does not belong to its certificate'
}

/** The authority's certificate; throws `CertificateError` when it cannot sign at that time. */
export function signingCertificate(authority: Authority, now: Date): X509Certificate {
  const certificate = certificatesOf(authority.certificate)?.[0]
  const defect = authorityDefect(authority)
  if (certificate === undefined || defect !== undefined || !isIssuedBy(certificate, certificate)) {
    throw new CertificateError({
      code: 'authority-unreadable',
      message: `the authority ${defect ?? 'is not its own issuer'}`,
      fix: 'restore authority.crt and authority.key from a backup or with `muster state import`',
    })
  }
  if (now.getTime() >= Date.parse(certificate.validTo)) {
    throw new CertificateError({
      code: 'authority-expired',
      message: `the authority expired on ${certificate.validTo}, so it can sign no certificate`,
      fix: 'move authority.crt and authority.key out of the state directory; the next install makes new ones',
    })
  }
  return certificate
}
