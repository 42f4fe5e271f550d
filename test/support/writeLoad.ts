import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'

/** Where a client connects, as which user. */
export type Place = ({ readonly host: string; readonly port: number } | { readonly socketPath: string }) & {
  readonly user: string
  readonly password: string
  readonly database: string
}

/** `each` connects for every transaction; `kept` keeps its connection, and connects again when it is cut. */
export type ClientKind = 'each' | 'kept'

type Row = { readonly client: number; readonly seq: number }
type Client = { readonly client: number; readonly kind: ClientKind }

/** From the call that connects to the end of the login, in milliseconds of `performance.now()`. */
export type Login = Client & { readonly begin: number; readonly end: number }

/** A transaction whose COMMIT was answered with OK. */
export type Acknowledged = Client & {
  readonly seq: number
  /** Begin of the first attempt; those that failed before count. */
  readonly wanted: number
  /** Begin of the attempt that went well. */
  readonly begin: number
  readonly end: number
}

/** An attempt that failed, and where: while it connected, in a transaction, or between two of a kept connection. */
export type Failure = Client & {
  /** Of the row that it would have written. */
  readonly seq: number
  /** Begin of the attempt. */
  readonly begin: number
  readonly at: number
  readonly phase: 'connect' | 'transaction' | 'idle'
  readonly errno: number
  readonly message: string
}

/** From `begin` to `end`, in milliseconds of `performance.now()`. */
export type Span = { readonly begin: number; readonly end: number }

/** Clients that write rows of their own without end. */
export type WriteLoad = {
  readonly logins: readonly Login[]
  readonly acknowledged: readonly Acknowledged[]
  readonly failures: readonly Failure[]
  /** Milliseconds that the logins under way wait already. */
  readonly waiting: () => readonly number[]
  /** Lets each client end what it does; resolves when all have. */
  stop(): Promise<void>
}

/** Table that the clients write to; `server` is the one that took the row. */
export const loadTable =
  'CREATE TABLE load_rows (client INT, seq INT, server INT, PRIMARY KEY (client, seq)) ENGINE=InnoDB'

/** Milliseconds between two transactions of a client, on average. */
const usualPace = 35

/** A login of a client, in which it writes rows. An error with `fatal` ends it. */
export type Session = {
  /** Writes a row in a transaction of its own; settles when its COMMIT was answered. */
  readonly write: (row: Row) => Promise<unknown>
  readonly rollback: () => Promise<unknown>
  readonly onError: (handle: (error: Error) => void) => void
  readonly end: () => Promise<unknown>
  readonly destroy: () => void
}

async function openMariadb(place: Place, timeout?: number): Promise<Session> {
  const connection = await createConnection({ ...place, connectTimeout: timeout ?? 120_000 })
  const limit = timeout === undefined ? {} : { timeout }
  return {
    write: async ({ client, seq }) => {
      await connection.query({ sql: 'BEGIN', ...limit })
      const values = [client, seq]
      await connection.query({ sql: 'INSERT INTO load_rows VALUES (?, ?, @@server_id)', values, ...limit })
      await connection.query({ sql: 'COMMIT', ...limit })
    },
    rollback: () => connection.query('ROLLBACK'),
    onError: (handle) => void connection.on('error', handle),
    end: () => connection.end(),
    destroy: () => connection.destroy(),
  }
}

const isEnded = (failure: { readonly fatal?: boolean; readonly code?: string }): boolean =>
  failure.fatal === true ||
  ['PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT', 'EPIPE'].includes(failure.code ?? '')

/** Starts so many clients of each kind, dealt over the places. */
export function startWriteLoad(wish: {
  readonly places: readonly Place[]
  readonly clients: Readonly<Record<ClientKind, number>>
  /** Number of the first client: loads one after the other write rows of their own. */
  readonly first?: number
  /** Logs in; at a MariaDB or MySQL unless told. */
  readonly open?: (place: Place) => Promise<Session>
  /** Milliseconds after which a client gives up a connection that does not answer; unless told, only while it connects. */
  readonly timeout?: number
  /** Milliseconds between a failure and the next try: it tries again at once, but does not spin. */
  readonly rest?: number
  /** Milliseconds between two transactions of a client, on average: 0.6 to 1.4 times that. */
  readonly pace?: number
  /** Milliseconds since it wanted to write after which a client that is stopped gives up. */
  readonly patience?: number
}): WriteLoad {
  const { places, clients, first = 0, timeout, rest = 10, pace = usualPace, patience = 60_000 } = wish
  const thinkTime = (): number => pace * (0.6 + 0.8 * Math.random())
  const open = wish.open ?? ((place: Place) => openMariadb(place, timeout))
  const logins: Login[] = []
  const acknowledged: Acknowledged[] = []
  const failures: Failure[] = []
  const connecting = new Set<{ readonly begin: number }>()
  let isStopped = false

  async function logIn(who: Client, place: Place): Promise<Session> {
    const begun = { begin: performance.now() }
    connecting.add(begun)
    try {
      const session = await open(place)
      logins.push({ ...who, ...begun, end: performance.now() })
      return session
    } finally {
      connecting.delete(begun)
    }
  }

  function fail(who: Client & Row & Pick<Failure, 'begin'>, phase: Failure['phase'], error: unknown): void {
    const { errno = 0, message } = error as { errno?: number; message: string }
    failures.push({ ...who, at: performance.now(), phase, errno, message })
  }

  async function run(who: Client, place: Place): Promise<void> {
    let session: Session | undefined
    let seq = 0
    let wanted: number | undefined
    // time: the pace of an application.
    await delay(thinkTime())
    while (!isStopped || wanted !== undefined) {
      wanted ??= performance.now()
      let phase: Failure['phase'] = 'connect'
      const begin = performance.now()
      try {
        if (session === undefined) {
          const opened = await logIn(who, place)
          session = opened
          opened.onError((error) => {
            // One that is cut between two transactions is known before it is used again.
            if (session !== opened || phase !== 'idle') return
            fail({ ...who, seq, begin }, 'idle', error)
            session = undefined
          })
        }
        phase = 'transaction'
        seq += 1
        await session.write({ client: who.client, seq })
        acknowledged.push({ ...who, seq, wanted, begin, end: performance.now() })
        wanted = undefined
        phase = 'idle'
        if (who.kind === 'each') {
          const leaving: Session = session
          session = undefined
          await leaving.end().catch(() => undefined)
        }
      } catch (error) {
        fail({ ...who, seq, begin }, phase, error)
        const failed = session
        if (failed !== undefined && (who.kind === 'each' || isEnded(error as object))) {
          session = undefined
          failed.destroy()
        } else {
          await failed?.rollback().catch(() => undefined)
        }
        // time: longer than any switch; who waits then never gets an answer.
        if (isStopped && performance.now() - (wanted ?? 0) > patience) return
        // time: a rest between two tries.
        await delay(rest)
        continue
      }
      // time: the pace of an application.
      await delay(thinkTime())
    }
    await session?.end().catch(() => undefined)
  }

  const kinds = (['each', 'kept'] as const).flatMap((kind) => Array<ClientKind>(clients[kind]).fill(kind))
  const running = kinds.map((kind, index) => {
    const place = places[index % places.length]
    if (!place) throw new Error('a load needs a place to connect to')
    return run({ client: first + index, kind }, place)
  })
  return {
    logins,
    acknowledged,
    failures,
    // time: a figure of the load, not a limit.
    waiting: () => [...connecting].map(({ begin }) => performance.now() - begin),
    stop: async () => {
      isStopped = true
      await Promise.all(running)
    },
  }
}

const overlaps = (one: Span, other: Span): boolean => one.begin < other.end && one.end > other.begin

/** Longest span of each client among those that a window touches, in milliseconds. */
function longestOfEach<Of extends Client & Span>(all: readonly Of[], window: Span): readonly number[] {
  const longest = new Map<number, number>()
  for (const it of all) {
    if (overlaps(it, window)) longest.set(it.client, Math.max(longest.get(it.client) ?? 0, it.end - it.begin))
  }
  return [...longest.values()]
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/**
 * Time that clients were held in a window: of each client the longest login, from the call that connects to its end,
 * that began or was under way there, less the median of all logins outside `windows`.
 */
export function holdTimes(load: WriteLoad, window: Span, windows: readonly Span[]): readonly number[] {
  const usual = median(
    load.logins
      .filter((it) => !windows.some((one) => overlaps(it, one)))
      .map(({ begin, end }) => end - begin),
  )
  return longestOfEach(load.logins, window).map((it) => Math.max(0, it - usual))
}

/** Of each client the longest time from wanting to write to the answer of the COMMIT, with all that failed between. */
export const writeTimes = (load: WriteLoad, window: Span): readonly number[] =>
  longestOfEach(
    load.acknowledged.map((it) => ({ ...it, begin: it.wanted })),
    window,
  )

/** Failures in a window, by kind of client and phase, with their messages and how often each came. */
export function failuresIn(load: WriteLoad, window: Span): Readonly<Record<string, number>> {
  const counted: Record<string, number> = {}
  for (const { at, kind, phase, errno, message } of load.failures) {
    if (at < window.begin || at > window.end) continue
    const words = `${kind} ${phase}: ${errno} ${message.replaceAll(/\d+/g, 'N')}`
    counted[words] = (counted[words] ?? 0) + 1
  }
  return counted
}

/** Rows of the load that a server has: `client:seq` and the number of the server that took the row. */
export async function loadRowsOf(
  connection: Connection,
  schema: string,
): Promise<ReadonlyMap<string, number>> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT client, seq, server FROM ${schema}.load_rows`,
  )
  return new Map(rows.map(({ client, seq, server }) => [`${client}:${seq}`, server]))
}

/** Acknowledged rows that are not among these. */
export const missingRows = (load: WriteLoad, rows: ReadonlyMap<string, number>): readonly string[] =>
  load.acknowledged.map(({ client, seq }) => `${client}:${seq}`).filter((key) => !rows.has(key))

/** Transactions in a window that were cut, and whose rows are there all the same: the COMMIT went well unanswered. */
export const writtenUnanswered = (
  load: WriteLoad,
  rows: ReadonlyMap<string, number>,
  { begin, end }: Span,
): readonly Failure[] =>
  load.failures.filter(
    ({ at, phase, client, seq }) =>
      at >= begin && at <= end && phase === 'transaction' && rows.has(`${client}:${seq}`),
  )

/** Rows that a former primary took in attempts which began after its successor had answered a COMMIT of the same window. */
export function takenByFormer(
  load: WriteLoad,
  rows: ReadonlyMap<string, number>,
  facts: { readonly former: number; readonly successor: number; readonly window: Span },
): readonly string[] {
  const { former, successor, window } = facts
  const taken = load.acknowledged
    .filter((it) => overlaps(it, window))
    .map((it) => ({ ...it, key: `${it.client}:${it.seq}`, server: rows.get(`${it.client}:${it.seq}`) }))
  const first = Math.min(...taken.filter(({ server }) => server === successor).map(({ end }) => end))
  return taken.filter(({ server, begin }) => server === former && begin > first).map(({ key }) => key)
}
