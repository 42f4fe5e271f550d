import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { Secret } from '../secrets/secret.ts'
import { CertificateError } from './certificateError.ts'
import { isIssuedBy } from './chain.ts'
import { generateKey } from './keyPair.ts'
import { certificatesOf } from './pem.ts'
import { commonName, validity } from './profile.ts'
import {
  authorityConstraints,
  authorityUsage,
  nameOf,
  signCertificate,
  subjectKey,
} from './signCertificate.ts'

/** Certificate authority of a cluster. */
export type Authority = {
  /** PEM. */
  readonly certificate: string
  /** PKCS#8 PEM, possibly encrypted with a passphrase. */
  readonly key: Secret
  /** Asks for that passphrase; absent if nobody can be asked. */
  readonly passphrase?: () => Promise<Secret>
}

/** 10 years. */
const lifetimeDays = 3652

/**
 * Creates an authority, valid for 10 years from 24 hours ago; it may sign leaves only. The key of a successor
 * gets the protection of the previous key; only then this throws, as `signingKey`.
 */
export async function createAuthority(options: {
  readonly cluster: string
  readonly now: Date
  readonly random?: (size: number) => Buffer
  /** Predecessor; the date in the name tells the two apart. `lost`: nobody has its key. */
  readonly successorOf?: Authority | 'lost'
}): Promise<Authority> {
  const { successorOf } = options
  const { key, publicKey } = await generateKey()
  const day = successorOf === undefined ? '' : ` ${options.now.toISOString().slice(0, 10)}`
  // The text around the cluster's name must fit into 64 characters.
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
  if (successorOf === undefined || successorOf === 'lost') return { certificate, key }
  return { ...successorOf, certificate, key: await encryptLike(successorOf, key) }
}

/**
 * Explains why certificate and key are no authority that can sign, as the end of a sentence that begins with
 * "the authority"; undefined if they are one. Ignores expiry.
 */
export function authorityProblem(authority: Authority): string | undefined {
  const certificate = certificatesOf(authority.certificate)?.[0]
  if (certificate === undefined) return 'has a certificate that cannot be read'
  if (!certificate.ca) return 'has a certificate that cannot sign others'
  // An encrypted key is compared when it signs.
  if (isEncrypted(authority.key)) return undefined
  try {
    if (certificate.checkPrivateKey(createPrivateKey(authority.key.reveal()))) return undefined
  } catch {
    return 'has a key that cannot be read'
  }
  return 'has a key that does not belong to its certificate'
}

/** Returns the authority's certificate; throws `CertificateError` if it cannot sign at that time. */
export function signingCertificate(authority: Authority, now: Date): X509Certificate {
  const certificate = certificatesOf(authority.certificate)?.[0]
  const defect = authorityProblem(authority)
  if (certificate === undefined || defect !== undefined || !isIssuedBy(certificate, certificate)) {
    throw new CertificateError({
      code: 'authority-unreadable',
      message: `the authority ${defect ?? 'is not self-signed'}`,
      fix: 'restore authority.crt and authority.key from a backup or with `muster state import`',
    })
  }
  if (now.getTime() >= Date.parse(certificate.validTo)) {
    throw new CertificateError({
      code: 'authority-expired',
      message: `the authority expired on ${certificate.validTo}, and cannot sign certificates`,
      fix: 'move authority.crt and authority.key out of the state directory; the next install creates new ones',
    })
  }
  return certificate
}

/** Returns true if a key (PEM) is encrypted. */
export const isEncrypted = (key: Secret): boolean => key.reveal().includes('BEGIN ENCRYPTED PRIVATE KEY')

/** Encrypts a key (PKCS#8 PEM): PBES2 with AES-256, which OpenSSL and Java can read. */
export function encryptKey(key: Secret, passphrase: Secret): Secret {
  const locked = createPrivateKey(key.reveal()).export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: passphrase.reveal(),
  })
  return new Secret(locked.toString())
}

/** Decrypts a key (PKCS#8 PEM); undefined for a wrong passphrase. */
export function decryptKey(key: Secret, passphrase: Secret): Secret | undefined {
  try {
    const opened = createPrivateKey({ key: key.reveal(), format: 'pem', passphrase: passphrase.reveal() })
    return new Secret(opened.export({ format: 'pem', type: 'pkcs8' }).toString())
  } catch {
    return undefined
  }
}

/**
 * Returns the key for signing. The passphrase of an encrypted key is asked for only here. Throws
 * `CertificateError`: `authority-locked`, `authority-passphrase`.
 */
export async function signingKey(authority: Authority): Promise<Secret> {
  const { certificate, key } = authority
  if (!isEncrypted(key)) return key
  const opened = decryptKey(key, await passphraseOf(authority))
  const own = certificatesOf(certificate)?.[0]
  if (opened !== undefined && own?.checkPrivateKey(createPrivateKey(opened.reveal())) === true) return opened
  throw new CertificateError({
    code: 'authority-passphrase',
    message: "wrong passphrase for the authority's key",
    fix: 'Use the passphrase that was set with `muster cert protect-authority`. If it is lost, restore a copy of the unprotected key.',
  })
}

/**
 * Protects a new key (PKCS#8 PEM) like the authority's own key. The passphrase must open the own key first:
 * after a typing error nothing would open the new one. Throws as `signingKey`.
 */
async function encryptLike(authority: Authority, key: Secret): Promise<Secret> {
  if (!isEncrypted(authority.key)) return key
  await signingKey(authority)
  return encryptKey(key, await passphraseOf(authority))
}

async function passphraseOf({ passphrase }: Authority): Promise<Secret> {
  if (passphrase !== undefined) return passphrase()
  throw new CertificateError({
    code: 'authority-locked',
    message: "signing a certificate needs the authority's key, which is protected by a passphrase",
    fix: 'Use --authority-passphrase-file FILE with muster cert renew or muster install. Or remove the protection: muster cert protect-authority --remove',
  })
}
