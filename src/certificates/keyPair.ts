import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { Secret } from '../secrets/secret.ts'

export type KeyPair = {
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer
}

/** Type of a new key: P-256, or RSA with 3072 bits. */
export type KeyType = 'ec' | 'rsa'

/**
 * Generates a key in OpenSSL's own thread. Java (7 and later), OpenSSL, curl and Node.js all support P-256 in
 * TLS 1.2 and 1.3. It is as strong as RSA with 3072 bits (NIST SP 800-57, part 1, table 2) and is made in
 * under a millisecond, RSA in 100 to 500: the leaves of 1,000 hosts take a second instead of minutes.
 */
export async function generateKey(type: KeyType = 'ec'): Promise<KeyPair> {
  const made =
    type === 'ec'
      ? await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
      : await promisify(generateKeyPair)('rsa', { modulusLength: 3072 })
  return {
    key: new Secret(made.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()),
    publicKey: made.publicKey.export({ format: 'der', type: 'spki' }),
  }
}
