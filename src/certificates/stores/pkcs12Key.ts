import { createHash, hash } from 'node:crypto'

/** The digests that PKCS#12 files use, with their block size in bytes (RFC 7292, appendix B.1). */
const blockSizes = { sha1: 64, sha224: 64, sha256: 64, sha384: 128, sha512: 128 } as const

export type Digest = keyof typeof blockSizes

/** Purpose of derived bytes; each one gives other bytes (RFC 7292, appendix B.3). */
export const purposes = { key: 1, iv: 2, mac: 3 } as const

/** Derives bytes from a password as PKCS#12 does (RFC 7292, appendix B.2). */
export function pkcs12Key(options: {
  readonly digest: Digest
  readonly password: string
  readonly salt: Buffer
  readonly purpose: keyof typeof purposes
  readonly iterations: number
  readonly length: number
}): Buffer {
  const { digest, salt, iterations, length } = options
  const block = blockSizes[digest]
  const diversifier = Buffer.alloc(block, purposes[options.purpose])
  const input = Buffer.concat([fill(salt, block), fill(passwordBytes(options.password), block)])
  const parts: Buffer[] = []
  for (let made = 0; made < length; ) {
    let part: Buffer = createHash(digest).update(diversifier).update(input).digest()
    for (let round = 1; round < iterations; round++) part = hash(digest, part, 'buffer')
    parts.push(part)
    made += part.length
    const addend = Buffer.alloc(block, part)
    for (let start = 0; start < input.length; start += block) addOne(input, start, addend)
  }
  return Buffer.concat(parts).subarray(0, length)
}

/** Big-endian UTF-16 with two zero bytes at the end (RFC 7292, appendix B.1). */
function passwordBytes(password: string): Buffer {
  return Buffer.concat([Buffer.from(password, 'utf16le').swap16(), Buffer.alloc(2)])
}

/** Repeats the bytes up to a whole number of blocks. */
function fill(bytes: Buffer, block: number): Buffer {
  if (bytes.length === 0) return Buffer.alloc(0)
  return Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes)
}

/** Adds `addend` and 1 to the block of `input` that begins at `start`, as big-endian numbers. */
function addOne(input: Buffer, start: number, addend: Buffer): void {
  let carry = 1
  for (let index = addend.length - 1; index >= 0; index--) {
    carry += (input[start + index] ?? 0) + (addend[index] ?? 0)
    input[start + index] = carry & 0xff
    carry >>= 8
  }
}
