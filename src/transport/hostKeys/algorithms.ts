/** Key exchange: curve25519 first; no group-exchange (1.5 s of CPU each) and no SHA-1. */
export const keyExchanges = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group16-sha512',
  'diffie-hellman-group18-sha512',
  'diffie-hellman-group14-sha256',
] as const

/** AEAD first, then CTR, which needs a MAC of the next list. */
export const ciphers = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'chacha20-poly1305@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
] as const

export const macs = [
  'hmac-sha2-256-etm@openssh.com',
  'hmac-sha2-512-etm@openssh.com',
  'hmac-sha2-256',
  'hmac-sha2-512',
] as const

/** Signature algorithms of host keys, without SHA-1, and the key type of each. */
const hostKeySignatures = [
  ['ssh-ed25519', 'ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp256'],
  ['ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp384'],
  ['ecdsa-sha2-nistp521', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'ssh-rsa'],
  ['rsa-sha2-256', 'ssh-rsa'],
] as const

export type HostKeyAlgorithm = (typeof hostKeySignatures)[number][0]

/** Orders the algorithms of known key types first, so that the host shows a known key. */
export function hostKeyAlgorithms(knownTypes: readonly string[]): HostKeyAlgorithm[] {
  const known = hostKeySignatures.filter(([, type]) => knownTypes.includes(type))
  const others = hostKeySignatures.filter(([, type]) => !knownTypes.includes(type))
  return [...known, ...others].map(([algorithm]) => algorithm)
}

/** Returns the algorithms for key types that a host has not shown yet. */
export const remainingHostKeyAlgorithms = (shown: readonly string[]): HostKeyAlgorithm[] =>
  hostKeySignatures.filter(([, type]) => !shown.includes(type)).map(([algorithm]) => algorithm)
