import type { Clock } from '../clock.ts'

/**
 * Limits of clients that log in at once, and of logins that break off within `window` milliseconds, in all
 * and from one address. Servers block a host after 100 of them by default (max_connect_errors) without a login that
 * went well in between; the manager makes one within each window.
 */
export const loginLimits = {
  pending: { all: 64, each: 32 },
  broken: { all: 30, each: 5 },
  window: 15_000,
} as const

/** Limits concurrent and broken logins by the address that clients come from. */
export type LoginLimiter = {
  /** Lets one more client log in; false where it has to wait. */
  enter(from: string): boolean
  /** Ends the login of one that was let in. */
  leave(from: string): void
  /** Notes that a login broke off in a way that a server may count. */
  broken(from: string): void
  /** Notes that a login went well: servers then forget those that broke off. */
  succeeded(): void
  /** Milliseconds until the oldest broken login no longer counts; undefined where there is none. */
  remaining(): number | undefined
  counts(): { readonly pending: number; readonly broken: number }
}

export function createLoginLimiter({ clock }: { readonly clock: Clock }): LoginLimiter {
  const { pending, broken: brokenOff, window } = loginLimits
  const inside = new Map<string, number>()
  let all = 0
  let failures: readonly { readonly from: string; readonly at: number }[] = []
  let total = 0

  const recent = (): typeof failures => {
    failures = failures.filter(({ at }) => at + window > clock.elapsed())
    return failures
  }

  return {
    enter: (from) => {
      const own = inside.get(from) ?? 0
      if (all >= pending.all || own >= pending.each) return false
      const counted = recent()
      if (counted.length >= brokenOff.all) return false
      if (counted.filter((it) => it.from === from).length >= brokenOff.each) return false
      inside.set(from, own + 1)
      all += 1
      return true
    },
    leave: (from) => {
      const own = inside.get(from) ?? 0
      if (own > 1) inside.set(from, own - 1)
      else inside.delete(from)
      all -= 1
    },
    broken: (from) => {
      total += 1
      failures = [...recent(), { from, at: clock.elapsed() }]
    },
    succeeded: () => {
      failures = []
    },
    remaining: () => {
      const [oldest] = recent()
      return oldest && oldest.at + window - clock.elapsed()
    },
    counts: () => ({ pending: all, broken: total }),
  }
}
