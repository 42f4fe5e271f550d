import { createHmac } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'

/** Logins that were verified, or are being verified, against one version of the user file. */
export type VerifiedLogins = {
  /** The verdict on this login: a known good one at once, one under way when it ends, else by `verify`. */
  verdict(login: Login, verify: () => Promise<boolean>): Promise<boolean>
}

export type Login = { readonly user: string; readonly password: Secret }

/**
 * Remembers at most `limit` good logins, oldest forgotten first, as HMACs under a key that lives in this
 * process alone; a refused login is not remembered. The same login twice at once costs one verification.
 */
export function createVerifiedLogins(options: {
  readonly key: Buffer
  readonly limit: number
}): VerifiedLogins {
  const good = new Set<string>()
  const underWay = new Map<string, Promise<boolean>>()

  // The name's length stands first, so that no two logins share a text.
  const fingerprint = ({ user, password }: Login): string =>
    createHmac('sha256', options.key)
      .update(`${user.length}:${user}:${password.reveal().normalize('NFC')}`)
      .digest('base64')

  const remember = (mark: string): void => {
    good.add(mark)
    const oldest = good.size > options.limit ? good.values().next().value : undefined
    if (oldest !== undefined) good.delete(oldest)
  }

  return {
    verdict(login, verify) {
      const mark = fingerprint(login)
      if (good.has(mark)) return Promise.resolve(true)
      const pending = underWay.get(mark)
      if (pending) return pending
      const fresh = verify()
        .then((verified) => {
          if (verified) remember(mark)
          return verified
        })
        .finally(() => underWay.delete(mark))
      underWay.set(mark, fresh)
      return fresh
    },
  }
}
