import { createHash, randomBytes } from 'node:crypto'
import { sessionIdle } from '../contracts/dashboard.ts'
import type { DashboardLogin } from './backend.ts'

/** Session of one browser. */
export type Session = {
  /** SHA-256 of the id in its cookie, which is kept nowhere. */
  readonly key: string
  /** By cluster. */
  readonly logins: Map<string, DashboardLogin>
}

/** Sessions at once, and those with a login of the same user. */
export const sessionLimits = { all: 100, perUser: 20 } as const

export type Sessions = {
  /** Begins a session under a new id, which only the browser keeps, in place of the one before. */
  begin(
    logins: readonly DashboardLogin[],
    before?: Session,
  ): {
    readonly id: string
    readonly session: Session
  }
  /** Finds the session of a cookie's value. */
  find(id: string): Session | undefined
  /** Notes that the person used the session now. */
  use(session: Session): void
  end(session: Session): void
  /** Removes what a session is logged in to; without a login it has ended, unless sessions need none. */
  dropLogins(session: Session, clusters: readonly string[]): void
  /** Ends what was not used for too long. */
  endIdle(): void
  all(): readonly Session[]
}

const keyOf = (id: string): string => createHash('sha256').update(id).digest('base64')

/** Form of an id: 256 random bits. */
const sessionIdPattern = /^[A-Za-z0-9_-]{43}$/

export const newSessionId = (): string => randomBytes(32).toString('base64url')

/**
 * Keeps the sessions of one server in memory alone. `now` is a clock in milliseconds that never goes back; `onLogout`
 * is called when a session ended, or a login of it;
 * `onForget` for each login that no session has any more.
 */
export function createSessions(options: {
  readonly now: () => number
  /** True where a session without a login means something: whoever has it had the one-time token. */
  readonly withoutLogin: boolean
  readonly onLogout: (session: Session) => void
  readonly onForget?: (login: DashboardLogin) => void
}): Sessions {
  const { now, withoutLogin, onLogout, onForget } = options
  /** The one that was not used for the longest time stands first. */
  const sessions = new Map<string, Session>()
  const used = new WeakMap<Session, number>()

  function use(session: Session): void {
    if (sessions.get(session.key) !== session) return
    sessions.delete(session.key)
    sessions.set(session.key, session)
    used.set(session, now())
  }

  /** Ends a session; the logins of `next` go on in another. */
  function end(session: Session, next: readonly DashboardLogin[] = []): void {
    if (!sessions.delete(session.key)) return
    const logins = [...session.logins.values()]
    session.logins.clear()
    onLogout(session)
    for (const login of logins) if (!next.includes(login)) onForget?.(login)
  }

  function dropLogins(session: Session, clusters: readonly string[]): void {
    const dropped = clusters.flatMap((cluster) => session.logins.get(cluster) ?? [])
    if (dropped.length === 0) return
    for (const login of dropped) {
      session.logins.delete(login.cluster)
      onForget?.(login)
    }
    if (session.logins.size === 0 && !withoutLogin) end(session)
    else onLogout(session)
  }

  function endIdle(): void {
    for (const session of sessions.values()) {
      if (now() - (used.get(session) ?? 0) < sessionIdle) return
      if (withoutLogin && session.logins.size > 0) dropLogins(session, [...session.logins.keys()])
      else if (!withoutLogin) end(session)
    }
  }

  /** Ends the sessions that were unused for the longest time, until there is room for one more of these users. */
  function makeRoom(users: readonly string[]): void {
    for (const user of new Set(users)) {
      const same = [...sessions.values()].filter(({ logins }) =>
        [...logins.values()].some((login) => login.user === user),
      )
      for (const session of same.slice(0, Math.max(0, same.length - sessionLimits.perUser + 1))) end(session)
    }
    for (const session of [...sessions.values()].slice(0, Math.max(0, sessions.size - sessionLimits.all + 1)))
      end(session)
  }

  return {
    begin(logins, before) {
      if (before) end(before, logins)
      makeRoom(logins.map(({ user }) => user))
      const id = newSessionId()
      const session: Session = {
        key: keyOf(id),
        logins: new Map(logins.map((login) => [login.cluster, login])),
      }
      sessions.set(session.key, session)
      use(session)
      return { id, session }
    },
    find(id) {
      endIdle()
      return sessionIdPattern.test(id) ? sessions.get(keyOf(id)) : undefined
    },
    use,
    end: (session) => end(session),
    dropLogins,
    endIdle,
    all: () => [...sessions.values()],
  }
}
