import { scrypt, timingSafeEqual } from 'node:crypto'
import { sha256 } from '../base/sha256.ts'
import type { Secret } from '../secrets/secret.ts'
import { formatPhc, maximumMemory, parsePhc, type ScryptCost } from './phc.ts'

/**
 * Cost of one guess: N = 2^14, r = 8, p = 5, about 0.2 s. OWASP's Password Storage Cheat Sheet takes it for
 * as strong as N = 2^15 with p = 3; it takes 16 MiB of a database host instead of 32, and a quarter less time where
 * several logins come at once.
 */
const defaultCost: ScryptCost = { ln: 14, r: 8, p: 5 }

/** Bytes of salt that a new hash takes. */
export const saltBytes = 16

const hashBytes = 32

function derive(options: {
  readonly password: Secret
  readonly salt: Buffer
  readonly cost: ScryptCost
  readonly bytes: number
}): Promise<Buffer> {
  const { ln, r, p } = options.cost
  const limits = { N: 2 ** ln, r, p, maxmem: maximumMemory }
  return new Promise((resolve, reject) => {
    const password = options.password.reveal().normalize('NFC')
    scrypt(password, options.salt, options.bytes, limits, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/**
 * PHC string of a password (in NFC); the same password, salt and cost give the same string. Takes as long
 * as the cost says and never blocks the thread.
 */
export async function hashPassword(options: {
  readonly password: Secret
  readonly salt: Buffer
  readonly cost?: ScryptCost
}): Promise<string> {
  const cost = options.cost ?? defaultCost
  const hash = await derive({ password: options.password, salt: options.salt, cost, bytes: hashBytes })
  return formatPhc({ cost, salt: options.salt, hash })
}

/**
 * Returns true for the password of a PHC string, at the cost that the string names; compares in constant
 * time. A string that is no PHC string of scrypt is nobody's password.
 */
export async function verifyPassword(password: Secret, phc: string): Promise<boolean> {
  const parts = parsePhc(phc)
  if (!parts) return false
  const { salt, cost, hash } = parts
  return timingSafeEqual(await derive({ password, salt, cost, bytes: hash.length }), hash)
}

/** The PHC string of a password with a salt. */
export type Hasher = (password: Secret, salt: Buffer) => Promise<string>

/** Hashes each pair of password and salt once, since a scrypt takes 0.2 s: who asks before it is needed need not wait then. */
export function createHasher(cost?: ScryptCost): Hasher {
  const asked: { readonly password: Secret; readonly salt: Buffer; readonly hash: Promise<string> }[] = []
  return (password, salt) => {
    const before = asked.find((one) => one.password.equals(password) && one.salt.equals(salt))
    if (before !== undefined) return before.hash
    const hash = hashPassword({ password, salt, ...(cost === undefined ? {} : { cost }) })
    asked.push({ password, salt, hash })
    return hash
  }
}

/**
 * Returns a hasher of the full cost; at N = 2 to the power of `MUSTER_TEST_SCRYPT_LN` (1 to 9) where a test's
 * environment says so: hosts verify at the cost of the hash, a tenth of the processor time of tests on real hosts.
 */
export function hasherOf(env: Readonly<Record<string, string | undefined>>): Hasher {
  const ln = env.MUSTER_TEST_SCRYPT_LN ?? ''
  return createHasher(/^[1-9]$/.test(ln) ? { ln: Number(ln), r: 8, p: 1 } : undefined)
}

/** Hexadecimal digits of a mark: twelve bits. */
const digits = 3

/**
 * Returns the mark by which a password is known again: three hexadecimal digits of its scrypt. Whoever finds it and
 * tries passwords pays a scrypt for each, and one wrong one in 4096 fits as well as the right one.
 */
export const passwordMark = async (hash: Hasher, password: Secret, salt: Buffer): Promise<string> =>
  sha256(await hash(password, salt)).slice(0, digits)
