import { sha256 } from '../base/sha256.ts'
import type { Secret } from '../secrets/secret.ts'
import { hashPassword } from './passwordHash.ts'
import type { ScryptCost } from './phc.ts'

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

/** Hexadecimal digits of a mark: twelve bits. */
const digits = 3

/**
 * Returns the mark by which a password is known again: three hexadecimal digits of its scrypt. Whoever finds it and
 * tries passwords pays a scrypt for each, and one wrong one in 4096 fits as well as the right one.
 */
export const passwordMark = async (hash: Hasher, password: Secret, salt: Buffer): Promise<string> =>
  sha256(await hash(password, salt)).slice(0, digits)
