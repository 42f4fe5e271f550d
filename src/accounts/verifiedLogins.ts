import { hash as digest } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'

export type Login = { readonly user: string; readonly password: Secret }

/** A login and the hash it must fit. */
export type Claim = { readonly login: Login; readonly hash: string }

/** Logins that were verified, or are being verified. */
type VerifiedLogins = {
  /** Returns true for a claim that is known to be good. */
  isGood(claim: Claim): boolean
  /** The verdict on this claim: a known good one at once, that guess under way when it ends, else by `verify`. */
  check(claim: Claim & { readonly guesser: string }, verify: () => Promise<boolean>): Promise<boolean>
}

/**
 * Keeps at most `limit` good logins and drops the oldest first, as digests with a key that lives in this process
 * alone; a refused login is not kept. A login is good for the hash that it was verified against
 * and for no other. The same claim twice at once costs one verification.
 */
export function createVerifiedLogins(options: {
  readonly key: Buffer
  readonly limit: number
}): VerifiedLogins {
  // Nobody sees a digest, so nobody can lengthen what it is of: no HMAC is needed, which costs several times as much.
  const key = options.key.toString('base64')
  const good = new Set<string>()
  const pending = new Map<string, Promise<boolean>>()

  // The lengths stand first, so that no two logins share a text.
  const fingerprintOf = ({ login: { user, password }, hash }: Claim): string => {
    const claimed = `${hash.length}:${user.length}:${hash}${user}${password.reveal().normalize('NFC')}`
    return digest('sha256', `${key}${claimed}`, 'base64')
  }

  const add = (fingerprint: string): void => {
    good.add(fingerprint)
    const oldest = good.size > options.limit ? good.values().next().value : undefined
    if (oldest !== undefined) good.delete(oldest)
  }

  return {
    isGood: (claim) => good.has(fingerprintOf(claim)),

    check(claim, verify) {
      const fingerprint = fingerprintOf(claim)
      if (good.has(fingerprint)) return Promise.resolve(true)
      const guess = `${fingerprint} ${claim.guesser}`
      const running = pending.get(guess)
      if (running) return running
      const fresh = verify()
        .then((verified) => {
          if (verified) add(fingerprint)
          return verified
        })
        .finally(() => pending.delete(guess))
      pending.set(guess, fresh)
      return fresh
    },
  }
}
