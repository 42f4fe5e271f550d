import { setTimeout as wait } from 'node:timers/promises'
import type { Connection, Dial, Row } from './connection.ts'
import { DatabaseError, lacksPrivilege } from './databaseError.ts'
import { withTimeout } from './withTimeout.ts'

/** Limits of waiting for a connection and for the result of one statement that only reads; milliseconds. */
export type ReadLimits = {
  readonly connect: number
  readonly query: number
  /** Age from which the next caller gets a new connection; unlimited by default. */
  readonly age?: number
  /**
   * Silence from which the same is asked over another connection, until one of both answers; never by default. A link that
   * was cut is back long before the system sends anew what it sent over an old one.
   */
  readonly silence?: number
}

/** Milliseconds between two attempts at another connection. */
const attemptPause = 500

/** One connection for everybody who reads. */
type KeptConnection = {
  /**
   * The rows of a statement that changes nothing, within the limit of `limits` or one of its own in milliseconds. Rejects
   * with a `DatabaseError`.
   */
  read(statement: string, limit?: number): Promise<readonly Row[]>
  close(): void
}

/**
 * Keeps one connection open and opens it anew when it was lost. A caller whose time is up leaves; the attempt to
 * connect goes on for those who come later. So a server that hangs sees one attempt, not one for each caller,
 * and does not block this host for broken connections (max_connect_errors) when it wakes up.
 */
export function keepConnection(options: {
  readonly dial: Dial
  readonly limits: ReadLimits
  /** Name of the server for messages. */
  readonly place: string
  /** Called when the other side has ended the connection, or lost it. */
  readonly onLost?: () => void
  /** Milliseconds that never go back. */
  readonly now?: () => number
}): KeptConnection {
  const { dial, limits, place, onLost, now = () => performance.now() } = options
  const { age = Number.POSITIVE_INFINITY } = limits
  const end = new AbortController()
  let kept: Promise<Connection> | undefined
  /** When the kept connection had logged in. */
  let loggedIn = Number.POSITIVE_INFINITY

  const late = (what: string): DatabaseError =>
    new DatabaseError({ code: 'timeout', message: `The database ${place} did not ${what} in time.` })
  const forget = (dialled: Promise<Connection>): void => {
    if (kept === dialled) kept = undefined
  }

  function keep(dialled: Promise<Connection>): Promise<Connection> {
    kept = dialled
    loggedIn = Number.POSITIVE_INFINITY
    dialled
      .then(async (opened) => {
        if (kept === dialled) loggedIn = now()
        await opened.ended
        const isLost = kept === dialled && !end.signal.aborted
        forget(dialled)
        if (isLost) onLost?.()
      })
      .catch(() => forget(dialled))
    return dialled
  }

  function connection(): Promise<Connection> {
    if (kept && now() - loggedIn < age) return kept
    kept?.then((opened) => opened.quit()).catch(() => undefined)
    return keep(dial(end.signal))
  }

  /** True while another connection is tried: a server that hangs sees no more than one. */
  let isTryingAnother = false

  /** Asks over other connections until one answers, which is kept from then on, or the first answer is there. */
  async function askAnother(
    silent: Promise<Connection>,
    statement: string,
    first: Promise<unknown>,
  ): Promise<readonly Row[] | undefined> {
    let isAnswered = false
    const answered = first
      .catch(() => undefined)
      .then(() => {
        isAnswered = true
        return undefined
      })
    while (!isAnswered && !end.signal.aborted) {
      const dialled = dial(end.signal)
      // One that logs in is not broken off, however late it is.
      const other = await dialled.catch(() => undefined)
      const asked = isAnswered ? undefined : other?.query(statement).catch(() => undefined)
      const rows = await Promise.race([asked, answered])
      if (rows && kept === silent) {
        keep(dialled)
        return rows
      }
      other?.quit()
      await wait(attemptPause, undefined, { ref: false })
    }
    return undefined
  }

  /** Returns the rows of a statement, over another connection where this one is silent for long. */
  async function ask(dialled: Promise<Connection>, statement: string): Promise<readonly Row[]> {
    const opened = await dialled
    const first = opened.query(statement)
    const { silence } = limits
    if (silence === undefined) return first
    let timer: NodeJS.Timeout | undefined
    const second = new Promise<readonly Row[]>((resolve) => {
      timer = setTimeout(async () => {
        if (isTryingAnother) return
        isTryingAnother = true
        const rows = await askAnother(dialled, statement, first)
        isTryingAnother = false
        if (!rows) return
        resolve(rows)
        opened.close()
      }, silence)
    })
    try {
      return await Promise.race([first, second])
    } finally {
      clearTimeout(timer)
    }
  }

  async function attempt(statement: string, limit: number): Promise<readonly Row[]> {
    const dialled = connection()
    const opened = await withTimeout({
      milliseconds: limits.connect,
      work: dialled,
      late: () => late('take the connection'),
    })
    const drop = (): void => {
      forget(dialled)
      opened.close()
    }
    try {
      return await withTimeout({
        milliseconds: limit,
        work: ask(dialled, statement),
        late: () => {
          // Whatever comes later would wait behind this statement.
          drop()
          return late('answer')
        },
      })
    } catch (error) {
      // A GRANT holds for connections that log in after it (MariaDB and MySQL, "When Privilege Changes Take Effect").
      if (error instanceof DatabaseError && lacksPrivilege(error)) drop()
      throw error
    }
  }

  return {
    read: async (statement, limit = limits.query) => {
      const isOld = kept !== undefined
      try {
        return await attempt(statement, limit)
      } catch (error) {
        // A connection that was lost while nobody used it, as when the server restarted, says nothing of today.
        const isStale = isOld && error instanceof DatabaseError && error.code === 'unreachable'
        if (!isStale || end.signal.aborted) throw error
        return attempt(statement, limit)
      }
    },
    close: () => end.abort(),
  }
}
