/** Cost of scrypt: N = 2^ln, block size r, parallelism p (RFC 7914 section 2). */
export type ScryptCost = { readonly ln: number; readonly r: number; readonly p: number }

/** A password hash in its parts. */
type PhcHash = { readonly cost: ScryptCost; readonly salt: Buffer; readonly hash: Buffer }

/** Most memory, in bytes, that a hash may ask for: what a user file may cost this host. */
export const maximumMemory = 64 * 1024 * 1024

// As OpenSSL counts it (crypto/evp/pbe_scrypt.c): N blocks and two of scratch, and p of input.
const memoryOf = ({ ln, r, p }: ScryptCost): number => 128 * r * (2 ** ln + 2 + p)

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** Writes a PHC string, `$scrypt$ln=14,r=8,p=5$<salt>$<hash>` in unpadded base64. */
export const formatPhc = ({ cost, salt, hash }: PhcHash): string =>
  `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(hash)}`

const pattern =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** Reads a PHC string of scrypt; undefined when it is none, or asks for more memory than `maximumMemory`. */
export function parsePhc(text: string): PhcHash | undefined {
  const [, ln, r, p, salt, hash] = pattern.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  if (memoryOf(cost) > maximumMemory) return undefined
  return { cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}
