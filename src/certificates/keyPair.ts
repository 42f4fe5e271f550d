import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { Secret } from '../secrets/secret.ts'

export type KeyPair = {
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer
}

/**
 * A new key on the curve P-256, for authorities and leaves alike. Java (7 and later), OpenSSL, curl and
 * Node.js all take it in TLS 1.2 and 1.3, it is as strong as RSA with 3072 bits, and it is made in under a
 * millisecond where RSA takes 100 to 500: the leaves of 1,000 hosts cost a second instead of minutes.
 */
export async function generateKey(): Promise<KeyPair> {
  const made = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  return {
    key: new Secret(made.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()),
    publicKey: made.publicKey.export({ format: 'der', type: 'spki' }),
  }
}
