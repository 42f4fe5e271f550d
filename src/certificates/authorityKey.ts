import { createPrivateKey } from 'node:crypto'
import { Secret } from '../secrets/secret.ts'
import type { Authority } from './authority.ts'
import { CertificateError } from './certificateError.ts'
import { certificatesOf } from './pem.ts'

/** Whether a key (PEM) is encrypted with a passphrase. */
export const isLocked = (key: Secret): boolean => key.reveal().includes('BEGIN ENCRYPTED PRIVATE KEY')

/** A key (PKCS#8 PEM) encrypted with a passphrase: PBES2 with AES-256, which OpenSSL and Java open, too. */
export function lockKey(key: Secret, passphrase: Secret): Secret {
  const locked = createPrivateKey(key.reveal()).export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: passphrase.reveal(),
  })
  return new Secret(locked.toString())
}

/** The key (PKCS#8 PEM) that an encrypted one holds; undefined when the passphrase does not open it. */
export function unlockKey(key: Secret, passphrase: Secret): Secret | undefined {
  try {
    const opened = createPrivateKey({ key: key.reveal(), format: 'pem', passphrase: passphrase.reveal() })
    return new Secret(opened.export({ format: 'pem', type: 'pkcs8' }).toString())
  } catch {
    return undefined
  }
}

/**
 * The key with which an authority signs; one that is encrypted is opened with the passphrase that is asked for
 * here, and nowhere else. Throws `CertificateError`: `authority-locked`, `authority-passphrase`.
 */
export async function signingKey(authority: Authority): Promise<Secret> {
  const { certificate, key } = authority
  if (!isLocked(key)) return key
  const opened = unlockKey(key, await passphraseOf(authority))
  const own = certificatesOf(certificate)?.[0]
  if (opened !== undefined && own?.checkPrivateKey(createPrivateKey(opened.reveal())) === true) return opened
  throw new CertificateError({
    code: 'authority-passphrase',
    message: "the passphrase does not open the authority's key",
    fix: 'Give the one that `muster cert protect-authority` was given; without it only a copy of the unprotected key helps.',
  })
}

/**
 * Another key (PKCS#8 PEM), protected as an authority's own is: by the same passphrase, which must open that one
 * first, since with a slip in it nothing would ever open the other. Throws as `signingKey`.
 */
export async function lockAs(authority: Authority, key: Secret): Promise<Secret> {
  if (!isLocked(authority.key)) return key
  await signingKey(authority)
  return lockKey(key, await passphraseOf(authority))
}

async function passphraseOf({ passphrase }: Authority): Promise<Secret> {
  if (passphrase !== undefined) return passphrase()
  throw new CertificateError({
    code: 'authority-locked',
    message: "a certificate must be signed, and the authority's key is protected by a passphrase",
    fix: 'Give it: muster cert renew and muster install take --authority-passphrase-file FILE. Or take the protection away: muster cert protect-authority --remove',
  })
}
