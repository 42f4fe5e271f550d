const magic = Buffer.from('openssh-key-v1\0', 'latin1')

/**
 * The public key that an OpenSSH private key file has in clear, also where the private part has a passphrase
 * (OpenSSH, PROTOCOL.key); undefined for files in other formats.
 */
export function publicPart(text: Buffer): Buffer | undefined {
  const base64 = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+?)-----END/.exec(text.toString('latin1'))?.[1]
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (!bytes.subarray(0, magic.length).equals(magic)) return undefined
  let at = magic.length
  const take = (): Buffer | undefined => {
    if (at + 4 > bytes.length) return undefined
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const part = bytes.subarray(at + 4, end)
    at = end
    return part
  }
  // Cipher, key derivation and its options; then the number of keys, which is always one.
  take()
  take()
  take()
  at += 4
  return take()
}
