import { beforeLogin, type Session } from '../../databases/sessions.ts'
import type { SwitchServer } from '../../databases/switchServer.ts'

/** Milliseconds between two looks at the sessions. */
const pause = 10

/**
 * Milliseconds that a session without a transaction is idle before it is cut. One that came just before the hold has
 * perhaps not begun its work yet, far away or on a busy machine.
 */
const idle = { known: 5, fresh: 500 } as const

type Seen = { transaction: string | null; readonly isKnown: boolean }

/** Milliseconds in which clients arrive that connectors let through before they held: nobody waits for later ones. */
const arriving = 150

/** Tells of a client that should have logged in by now: whoever says nothing does not hold up all others. */
const isSilent = ({ user, milliseconds }: Session, waited: number): boolean =>
  user === beforeLogin && Math.max(milliseconds, waited) >= idle.fresh

/** Decides which sessions a primary loses while its new clients wait. */
type DrainRule = (sessions: readonly Session[]) => readonly number[]

/**
 * Returns the rule for sessions that end by themselves, or between two transactions. `known` are those that have been there
 * for long, which those of clients that connect for each transaction are not. A session that begins one transaction after
 * the other would never end.
 */
export function createDrainRule(known: ReadonlySet<number>): DrainRule {
  const seen = new Map<number, Seen>()
  return (sessions) =>
    sessions.flatMap(({ id, isIdle, milliseconds, transaction }) => {
      const now = transaction?.id ?? null
      const before = seen.get(id)
      const isKnown = before?.isKnown ?? known.has(id)
      if (now !== null || !before) seen.set(id, { transaction: now ?? before?.transaction ?? null, isKnown })
      if (now === null) return isIdle && milliseconds >= (isKnown ? idle.known : idle.fresh) ? [id] : []
      const isAnother = before !== undefined && before.transaction !== now
      return isAnother && (isKnown || before.transaction !== null) ? [id] : []
    })
}

/** Waits until the sessions of a server have ended; `limit` milliseconds later the rest is left to the caller. */
export async function drain(options: {
  readonly server: Pick<SwitchServer, 'sessions' | 'kill'>
  readonly known: ReadonlySet<number>
  readonly limit: number
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}): Promise<void> {
  const { server, limit, now, wait } = options
  const rule = createDrainRule(options.known)
  const begin = now()
  const end = begin + limit
  const awaited = new Set<number>()
  for (;;) {
    const sessions = await server.sessions()
    const waited = now() - begin
    if (waited <= arriving) for (const { id } of sessions) awaited.add(id)
    const cut = new Set(rule(sessions))
    if (cut.size > 0) await server.kill([...cut])
    const isOver = sessions.every((it) => cut.has(it.id) || !awaited.has(it.id) || isSilent(it, waited))
    if (isOver || now() >= end) return
    await wait(Math.min(pause, Math.max(0, end - now())))
  }
}
