import type { Session } from '../../databases/sessions.ts'
import type { Timing } from './runSwitch.ts'

/** Milliseconds after which a session that is still there is none of a client that connects for each transaction. */
const lasting = 500

/** Milliseconds after which nothing follows from an earlier look any more: a restarted server numbers anew. */
const longest = 120_000

/** Tells sessions that last from those of clients that connect for each transaction, by an earlier look. */
type LastingSessions = {
  /** Notes the sessions of a service's primary. */
  note(service: string, sessions: readonly Session[]): void
  /** Resolves to the ids of sessions once they are old enough. */
  of(service: string): Promise<ReadonlySet<number>>
}

export function createLastingSessions({ now, wait }: Timing): LastingSessions {
  const looks = new Map<string, { readonly at: number; readonly ids: ReadonlySet<number> }>()
  const ageOf = (service: string): number => now() - (looks.get(service)?.at ?? Number.NEGATIVE_INFINITY)
  return {
    note: (service, sessions) => {
      // A look that is still good says more than one from now.
      if (ageOf(service) < longest) return
      looks.set(service, { at: now(), ids: new Set(sessions.map(({ id }) => id)) })
    },
    of: async (service) => {
      const left = lasting - ageOf(service)
      if (left > 0) await wait(left)
      const { ids = new Set<number>() } = looks.get(service) ?? {}
      looks.delete(service)
      return ids
    },
  }
}
