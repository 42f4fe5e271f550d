import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SessionPayload } from '../contracts/dashboard.ts'
import { Secret } from '../secrets/secret.ts'
import type { DashboardBackend, DashboardLogin } from './backend.ts'
import { loginRequired, notFound } from './dashboardError.ts'
import { createSessions, newSessionId, type Session } from './sessions.ts'

/**
 * Cookie of a session. By `__Host-` browsers take it only over TLS (or on this machine), for this very host, and from
 * nobody but the host itself.
 */
const cookieName = '__Host-muster'

const cookieAttributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** Milliseconds between looks at users that may have changed, while there are sessions. */
const userCheckInterval = 1000

/** Sessions of the browsers of one server. */
type BrowserSessions = {
  /** Returns the session of a request, with the logins that still hold. */
  of(request: IncomingMessage): Promise<Session | undefined>
  /** Begins a session under a new id, in place of the one before. */
  begin(response: ServerResponse, logins: readonly DashboardLogin[], before: Session | undefined): Session
  /** Ends a session, and takes its cookie away. */
  end(response: ServerResponse, session: Session | undefined): void
  /** Returns the login of a request that a person made, or throws. */
  loginTo(session: Session | undefined, cluster: string): DashboardLogin
  /** Returns what the page learns of its session. */
  clustersOf(session: Session | undefined): Pick<SessionPayload, 'state' | 'clusters'>
  issueToken(): Secret
  /** Returns true for the token that was issued last, once. */
  takeToken(token: string): boolean
  close(): void
}

function cookieOf(header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
  // Of two, nobody knows whose each is.
  return values.length === 1 ? values[0]?.slice(cookieName.length + 1) : undefined
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Keeps the sessions of browsers, and ends those whose user has changed. */
export function createBrowserSessions(options: {
  readonly backend: Pick<DashboardBackend, 'clusters' | 'isCurrent' | 'forget'>
  readonly needsToken: boolean
  readonly monotonic: () => number
  readonly onFault: (error: unknown) => void
  readonly onLogout: (session: Session) => void
}): BrowserSessions {
  const { backend, needsToken, monotonic, onFault, onLogout } = options
  const sessions = createSessions({
    ...{ now: monotonic, withoutLogin: needsToken, onLogout },
    onForget: (login) => backend.forget?.(login),
  })
  let tokenDigest: Buffer | undefined
  let userCheck: NodeJS.Timeout | undefined

  /** A backend that cannot tell gives nobody rights. */
  async function holds(login: DashboardLogin): Promise<boolean> {
    try {
      return await backend.isCurrent(login)
    } catch (error) {
      onFault(error)
      return false
    }
  }

  async function dropChanged(session: Session): Promise<void> {
    const logins = [...session.logins.values()]
    const current = await Promise.all(logins.map(holds))
    const changed = logins.filter(
      (login, index) => !current[index] && session.logins.get(login.cluster) === login,
    )
    const clusters = changed.map(({ cluster }) => cluster)
    sessions.dropLogins(session, clusters)
  }

  function checkUsers(): void {
    userCheck ??= setInterval(() => {
      sessions.endIdle()
      for (const session of sessions.all()) void dropChanged(session)
      if (sessions.all().length > 0) return
      clearInterval(userCheck)
      userCheck = undefined
    }, userCheckInterval).unref()
  }

  return {
    async of({ headers }) {
      const id = cookieOf(headers.cookie)
      const session = id === undefined ? undefined : sessions.find(id)
      if (id === undefined || !session) return undefined
      await dropChanged(session)
      return sessions.find(id)
    },
    begin(response, logins, before) {
      const { id, session } = sessions.begin(logins, before)
      response.setHeader('Set-Cookie', `${cookieName}=${id}; ${cookieAttributes}`)
      checkUsers()
      return session
    },
    end(response, session) {
      if (session) sessions.end(session)
      response.setHeader('Set-Cookie', `${cookieName}=; ${cookieAttributes}; Max-Age=0`)
    },
    loginTo(session, cluster) {
      if (!session || session.logins.size === 0) throw loginRequired()
      if (!backend.clusters.includes(cluster)) throw notFound('This server has no cluster of that name.')
      const login = session.logins.get(cluster)
      if (!login) throw loginRequired()
      sessions.use(session)
      return login
    },
    clustersOf(session) {
      if (needsToken && !session) return { state: 'token', clusters: [] }
      return {
        state: session && session.logins.size > 0 ? 'in' : 'login',
        clusters: backend.clusters.map((name) => {
          const login = session?.logins.get(name)
          return { name, user: login?.user ?? null, access: login?.access ?? null }
        }),
      }
    },
    issueToken() {
      const token = newSessionId()
      tokenDigest = digest(token)
      return new Secret(token)
    },
    takeToken(token) {
      if (tokenDigest === undefined || !timingSafeEqual(digest(token), tokenDigest)) return false
      tokenDigest = undefined
      return true
    },
    close() {
      clearInterval(userCheck)
      for (const session of sessions.all()) sessions.end(session)
    },
  }
}
