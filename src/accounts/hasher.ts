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
