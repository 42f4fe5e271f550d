import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'

/** Writes a private key, for a host that nobody logs in to. */
export function writeSshKey(path: string): void {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  writeFileSync(path, privateKey, { mode: 0o600 })
}
