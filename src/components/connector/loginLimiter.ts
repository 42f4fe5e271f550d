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
  /**
   * Milliseconds for which a client may say nothing while others wait for its place: programs reply within a round
   * trip. An address has less once `after` more of its clients said nothing than spoke.
   */
  silence: { usual: 1000, least: 50, after: 16 },
} as const

/** Limits concurrent and broken logins by the address that clients come from. */
export type LoginLimiter = {
  /** Lets one more client log in; false where it has to wait. */
  enter(from: string): boolean
  /** Ends the login of one that was let in. */
  leave(from: string): void
  /** Returns what one more client of this address has to wait for; undefined where it may log in. */
  obstacle(from: string): 'places-of-address' | 'places' | 'broken-logins' | undefined
  /** Clients that log in now, by address. */
  pending(): ReadonlyMap<string, number>
  /** Notes that a login broke off in a way that a server may count. */
  broken(from: string): void
  /** Notes that a login went well: servers then forget those that broke off. */
  succeeded(): void
  /** Notes that a client said all that a login needs. */
  spoke(from: string): void
  /** Notes that a client lost its place since it said nothing. */
  silent(from: string): void
  /** Milliseconds for which a client of this address may say nothing while others wait for its place. */
  patience(from: string): number
  /** Milliseconds until the oldest broken login no longer counts; undefined where there is none. */
  remaining(): number | undefined
  counts(): { readonly pending: number; readonly broken: number }
}

export function createLoginLimiter({ clock }: { readonly clock: Clock }): LoginLimiter {
  const { pending, broken: brokenOff, window, silence } = loginLimits
  const inside = new Map<string, number>()
  /** By address, the one that was silent last at the end: how many more were silent than spoke, and when. */
  const silences = new Map<string, { readonly count: number; readonly at: number }>()
  let all = 0
  let failures: readonly { readonly from: string; readonly at: number }[] = []
  let total = 0

  const recent = (): typeof failures => {
    failures = failures.filter(({ at }) => at + window > clock.elapsed())
    return failures
  }

  function silencesOf(from: string): number {
    for (const [address, { at }] of silences) {
      if (at + window > clock.elapsed()) break
      silences.delete(address)
    }
    return silences.get(from)?.count ?? 0
  }

  function obstacle(from: string): ReturnType<LoginLimiter['obstacle']> {
    const counted = recent()
    if (counted.length >= brokenOff.all) return 'broken-logins'
    if (counted.filter((it) => it.from === from).length >= brokenOff.each) return 'broken-logins'
    if ((inside.get(from) ?? 0) >= pending.each) return 'places-of-address'
    return all >= pending.all ? 'places' : undefined
  }

  return {
    enter: (from) => {
      if (obstacle(from) !== undefined) return false
      inside.set(from, (inside.get(from) ?? 0) + 1)
      all += 1
      return true
    },
    leave: (from) => {
      const own = inside.get(from) ?? 0
      if (own > 1) inside.set(from, own - 1)
      else inside.delete(from)
      all -= 1
    },
    obstacle,
    pending: () => inside,
    broken: (from) => {
      total += 1
      failures = [...recent(), { from, at: clock.elapsed() }]
    },
    succeeded: () => {
      failures = []
    },
    spoke: (from) => {
      const known = silences.get(from)
      if (known) silences.set(from, { ...known, count: Math.max(0, known.count - 1) })
    },
    silent: (from) => {
      const count = Math.min(silencesOf(from) + 1, 2 * silence.after)
      silences.delete(from)
      silences.set(from, { count, at: clock.elapsed() })
    },
    patience: (from) => (silencesOf(from) >= silence.after ? silence.least : silence.usual),
    remaining: () => {
      const [oldest] = recent()
      return oldest && oldest.at + window - clock.elapsed()
    },
    counts: () => ({ pending: all, broken: total }),
  }
}
