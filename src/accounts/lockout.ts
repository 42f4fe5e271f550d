import { createHash } from 'node:crypto'

/** Key by which guesses are counted: the name of their `Origin` and the user name. */
export type GuessSource = { readonly from: string; readonly user: string }

/** Too many logins of this pair failed: until the lock ends, none of its logins is checked. */
export class LockedOutError extends Error {
  /** Whole seconds until the pair may try again, at least one. */
  readonly seconds: number

  constructor(milliseconds: number) {
    super('too many logins of this address and user name failed')
    this.name = 'LockedOutError'
    this.seconds = Math.max(1, Math.ceil(milliseconds / 1000))
  }
}

/** One guess while its password is checked; exactly one of the three ends it. */
type Guess = {
  failed(): void
  succeeded(): void
  /** The password was never checked, so the guess does not count. */
  cancelled(): void
}

export type Lockout = {
  /** Begins a guess, or throws a `LockedOutError`; ask before anything is hashed. */
  begin(pair: GuessSource): Guess
  /** Returns true for a user name that `unlock` has something to remove of. */
  isCounted(user: string): boolean
  /** Removes the locks and failures of a user name, wherever they came from; returns true if there were any. */
  unlock(user: string): boolean
  /** Number of locks since the start, and of pairs that are locked now. */
  counts(): { readonly locks: number; readonly locked: number }
}

/** After that many failures within `window` milliseconds a pair is locked for as long again. */
export const lockoutLimits = { failures: 5, window: 5 * 60_000 } as const

/**
 * Limit of the pairs with counted failures, and of the locked pairs. Each failure costs whoever
 * floods us a checked password, 0.2 s of one of two places. Counts are pushed out in a quarter of an hour at
 * the fastest, and a lock, which only as many other locks push out, in more than an hour; both mean nothing after
 * five minutes. So a flood of names or addresses gains nothing, and takes some megabytes at most.
 */
const maxPairs = 10_000

const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** A user name may be as long as a header, so what is kept is digests: of the user, and of the pair. */
const userKey = (user: string): string => `${digest(user.normalize('NFC'))} `
const pairKey = ({ from, user }: GuessSource): string => `${userKey(user)}${digest(from)}`

function dropOldest(map: Map<string, unknown>, most: number): void {
  const oldest = map.size > most ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
}

/**
 * Counts failed logins per pair. Guesses that are being checked count as failures until they end, so that many
 * at once are no way round. `now` is a clock in milliseconds that never goes back.
 */
export function createLockout(options: { readonly now: () => number; readonly maxPairs?: number }): Lockout {
  const { now } = options
  const most = options.maxPairs ?? maxPairs
  const { failures, window } = lockoutLimits
  /** When the latest guesses of a pair failed, oldest first; the pair that failed longest ago stands first. */
  const failed = new Map<string, readonly number[]>()
  /** When a lock ends; all last equally long, so the one that ends first stands first. */
  const locked = new Map<string, number>()
  const pending = new Map<string, number>()
  let locks = 0

  const recent = (key: string): readonly number[] =>
    (failed.get(key) ?? []).filter((time) => time > now() - window)

  const removeExpired = (): void => {
    for (const [key, end] of locked) {
      if (end > now()) return
      locked.delete(key)
    }
  }

  const fail = (key: string): void => {
    const times = [...recent(key), now()]
    failed.delete(key)
    if (times.length < failures) {
      failed.set(key, times)
      dropOldest(failed, most)
      return
    }
    locked.set(key, now() + window)
    dropOldest(locked, most)
    locks += 1
  }

  const end = (key: string): void => {
    const remaining = (pending.get(key) ?? 1) - 1
    if (remaining > 0) pending.set(key, remaining)
    else pending.delete(key)
  }

  function countedKeys(user: string): readonly string[] {
    removeExpired()
    return [...failed.keys(), ...locked.keys()].filter((key) => key.startsWith(userKey(user)))
  }

  return {
    begin(pair) {
      const key = pairKey(pair)
      removeExpired()
      const lockEnd = locked.get(key)
      if (lockEnd !== undefined) throw new LockedOutError(lockEnd - now())
      const checking = pending.get(key) ?? 0
      // How those end is known in a moment.
      if (recent(key).length + checking >= failures) throw new LockedOutError(0)
      pending.set(key, checking + 1)
      return {
        failed: () => {
          end(key)
          fail(key)
        },
        succeeded: () => {
          end(key)
          failed.delete(key)
        },
        cancelled: () => end(key),
      }
    },
    isCounted: (user) => countedKeys(user).length > 0,
    unlock(user) {
      const known = countedKeys(user)
      for (const key of known) {
        failed.delete(key)
        locked.delete(key)
      }
      return known.length > 0
    },
    counts: () => {
      removeExpired()
      return { locks, locked: locked.size }
    },
  }
}
