import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'

/** Writes a private key, for a host that nobody logs in to. */
export function writeSshKey(path: string): void {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  })
  writeFileSync(path, privateKey, { mode: 0o600 })
}

/** A private key in ssh-keygen's own format whose type is that of a security token. */
export function tokenKey(): string {
  const field = (bytes: Buffer | string): Buffer => {
    const content = Buffer.from(bytes)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    return Buffer.concat([length, content])
  }
  const part = Buffer.concat([field('sk-ssh-ed25519@openssh.com'), field(Buffer.alloc(32, 1)), field('ssh:')])
  const check = Buffer.alloc(8, 7)
  const secret = Buffer.concat([check, part, Buffer.from([1]), field('handle'), field(''), field('token')])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]).subarray(0, (8 - (secret.length % 8)) % 8)
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map(field),
    Buffer.from([0, 0, 0, 1]),
    field(part),
    field(Buffer.concat([secret, padding])),
  ])
  const lines = body.toString('base64').replace(/(.{70})/g, '$1\n')
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`
}
