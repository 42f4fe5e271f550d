import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Connection, Dial, Row } from './connection.ts'
import { DatabaseError, lacksPrivilege } from './databaseError.ts'
import { type Dialect, quoteText, type ReplicationTls, type Source, text } from './dialect.ts'
import { databaseTypeOf, dialects, variablesOf } from './dialects.ts'
import { readMissingPrivileges, readSuper } from './grants.ts'
import { type GtidSet, readMariadbGtids, readMysqlGtids } from './gtidSet.ts'
import { logOmissions } from './omissions.ts'
import { readServer, receivedGtids, type ServerReading } from './probe.ts'
import {
  connectionId,
  createSessionReader,
  isConnectionId,
  type Session,
  unknownConnection,
} from './sessions.ts'
import { withTimeout } from './withTimeout.ts'

export type { ReplicationTls, Source } from './dialect.ts'

/** State of a server before a switch. */
export type SwitchReading = ServerReading & {
  /** Privileges that a switch needs and the account has not, by the words of GRANT. */
  readonly missingPrivileges: readonly string[]
  /** True if it writes what it replicates to its own binary log: without that nobody can follow it after a switch. */
  readonly logsReplicated: boolean
  /** True if events may write to it although it is read-only: those of MariaDB, by accounts with READ ONLY ADMIN or SUPER. */
  readonly runsEvents: boolean
  /** True if it runs such events, and the account may stop its event scheduler. */
  readonly canStopEvents: boolean
  /** TLS of its channel, as a template for a server that has none; null without TLS, and without a channel. */
  readonly tls: ReplicationTls | null
}

/**
 * One server during a switch, over one connection of its own, whose end is the end of all that it may do: none is opened
 * in its place. Everything rejects with a `DatabaseError`.
 */
export type SwitchServer = {
  /** Name of the server for messages. */
  readonly place: string
  read(): Promise<SwitchReading>
  /**
   * Takes the lock that one switch has on a server at a time, until the connection ends. Returns false where another
   * switch has it; with `force` its connection is ended first, so that nothing of it can come later. A client that has
   * it is ended.
   */
  lock(force: boolean): Promise<boolean>
  sessions(): Promise<readonly Session[]>
  /** Ends connections; those that are gone count as ended. Their transactions are rolled back a little later. */
  kill(ids: readonly number[]): Promise<void>
  /**
   * Waits, two seconds at most, for statements and commits that are under way; then it rejects and nothing has changed.
   * After the error `timeout` the server may yet do it. Transactions that are open then fail when they commit.
   */
  setReadOnly(isReadOnly: boolean): Promise<void>
  /**
   * Keeps sessions of any right from committing, until `follow` has made it a replica or the connection ends. Waits a second
   * at most for those that are committing; then it rejects.
   */
  lockCommits(): Promise<void>
  /** All GTIDs that it has; null where nothing is known of them. */
  gtids(): Promise<GtidSet | null>
  /** All GTIDs that it has or has received; null where nothing is known of them. */
  received(): Promise<GtidSet | null>
  /** GTIDs that it has written, as text for `waitFor` of another server. */
  written(): Promise<string>
  /** Resolves to true once it has applied these GTIDs; to false after that time. */
  waitFor(gtids: string, milliseconds: number): Promise<boolean>
  /** Lets it fetch nothing more from anybody; it goes on to apply what it has. */
  stopReceiving(): Promise<void>
  /** Stops or starts the threads of all its channels. */
  stopReplication(): Promise<void>
  startReplication(): Promise<void>
  /** Makes it nobody's replica: its channels are gone. */
  forgetSources(): Promise<void>
  /**
   * Makes it follow one server, by GTID from what it has; it starts. Other channels are gone. One that followed nobody
   * runs no more events that could write to it, where the account may stop them.
   */
  follow(source: Source): Promise<void>
  /** Begins its event scheduler, where `follow` ends the one of the old primary. */
  startEvents(): Promise<void>
  /** Names, as SQL takes them, of the events that it has by replication and does not run, as far as the account sees them. */
  disabledEvents(): Promise<readonly string[]>
  setSemiSync(roles: { readonly source: boolean; readonly replica: boolean }): Promise<void>
  /** Ends its connection at once. */
  close(): void
}

/** Milliseconds after which a server that does not answer is given up, with the connection. */
export type SwitchLimits = {
  readonly connect: number
  /** For each statement. */
  readonly query: number
  /** For statements that wait for threads of replication or for commits. */
  readonly change: number
}

const usualLimits: SwitchLimits = { connect: 3_000, query: 3_000, change: 10_000 }

/** Milliseconds for which a connection that is ended by force gets to let go of the lock. */
const forceTimeout = 1_000

/** Names of locks have 64 characters at most in both kinds of server. */
function lockName(service: string): string {
  const name = `muster.switch.${service}`
  if (name.length <= 64) return name
  return `muster.switch.${createHash('sha256').update(service).digest('hex').slice(0, 40)}`
}

/** Opened connection of a switch, and the kind of server that it leads to. */
type Opened = { readonly connection: Connection; readonly dialect: Dialect }

/** Makes the changes of a switch on one server. Nothing is opened before the first call. */
export function createSwitchServer(options: {
  readonly dial: Dial
  /** Name of the server for messages. */
  readonly place: string
  /** Name of the service, which the lock is named after. */
  readonly service: string
  /** Users of replication and of the managers, whose connections are none of clients. */
  readonly leftOut: readonly string[]
  /** Milliseconds without a statement after which the server ends the connection: this host may have lost its power. */
  readonly idle: number
  readonly limits?: SwitchLimits
  /** Milliseconds that never go back. */
  readonly now?: () => number
}): SwitchServer {
  const { dial, place, service, leftOut, idle, limits = usualLimits, now = () => performance.now() } = options
  const end = new AbortController()
  let opening: Promise<Opened> | undefined
  let hasCommitLock = false
  /** Position of its binary log when it began to follow under the lock. */
  let lockedPosition: string | undefined

  const late = (): DatabaseError =>
    new DatabaseError({ code: 'timeout', message: `The database ${place} did not answer in time.` })

  /** Runs a statement; when its time is up, the connection ends, since whatever comes later would wait behind it. */
  async function run(connection: Connection, statement: string, milliseconds: number) {
    return withTimeout({
      milliseconds,
      work: connection.query(statement),
      late: () => {
        connection.close()
        return late()
      },
    })
  }

  async function open(): Promise<Opened> {
    const dialled = dial(end.signal)
    const connection = await withTimeout({ milliseconds: limits.connect, work: dialled, late }).catch(
      (error) => {
        // Only then: a login that is broken off is what servers count against this host (max_connect_errors).
        dialled.then((opened) => opened.close()).catch(() => undefined)
        throw error
      },
    )
    try {
      // So that a text in quotes means the same whatever the server's own sql_mode is.
      const settings = `sql_mode = '', wait_timeout = ${Math.ceil(idle / 1000)}`
      await run(connection, `SET SESSION ${settings}`, limits.query)
      const [row] = await run(connection, 'SELECT VERSION() AS version', limits.query)
      const dialect = dialects[databaseTypeOf(row?.version ?? '')]
      for (const statement of dialect.switching.session) await run(connection, statement, limits.query)
      return { connection, dialect }
    } catch (error) {
      connection.close()
      throw error
    }
  }

  function opened(): Promise<Opened> {
    opening ??= open()
    return opening
  }

  async function ask(statement: string, milliseconds = limits.query): Promise<readonly Row[]> {
    return run((await opened()).connection, statement, milliseconds)
  }

  async function change(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await ask(statement, limits.change)
  }

  async function channels(): Promise<readonly Row[]> {
    const { dialect } = await opened()
    return (await ask(dialect.channels)).slice(0, mostChannels)
  }

  /** The channel that stays when there is to be one. */
  async function mainChannel(): Promise<{
    readonly main: Row | undefined
    readonly others: readonly string[]
  }> {
    const { dialect } = await opened()
    const rows = await channels()
    const nameOf = (row: Row): string => dialect.readChannel(row).name
    const main = rows.find((row) => nameOf(row) === '') ?? rows[0]
    return { main, others: rows.filter((row) => row !== main).map(nameOf) }
  }

  async function readGtids(): Promise<GtidSet | null> {
    const { dialect } = await opened()
    return dialect.readGtids((await ask(dialect.gtids))[0] ?? {})
  }

  const readSessions = createSessionReader({ ask, leftOut, now })

  return {
    place,
    read: async () => {
      const { dialect } = await opened()
      const reading = await readServer(ask)
      const names = [...logVariables, 'event_scheduler'].map(quoteText)
      const set = variablesOf(await ask(`SHOW GLOBAL VARIABLES WHERE Variable_name IN (${names.join(', ')})`))
      const logs = logVariables.flatMap((name) => set.get(name) ?? [])
      const { main } = await mainChannel()
      // The log of a replica is one that others would follow after a switch.
      const [log] = reading.channels.length > 0 ? await ask(dialect.position[0]) : []
      const runsEvents = dialect.switching.eventScheduler !== null && set.get('event_scheduler') === 'ON'
      return {
        ...reading,
        missingPrivileges: await readMissingPrivileges(ask),
        logsReplicated: logs.length >= 2 && logs.every((value) => value === 'ON'),
        omissions: [...reading.omissions, ...logOmissions(log)],
        runsEvents,
        canStopEvents: runsEvents && (await readSuper(ask)),
        tls: main === undefined ? null : dialect.readChannel(main).tls,
      }
    },
    lock: async (force) => {
      const name = quoteText(lockName(service))
      const take = async (): Promise<boolean> => {
        const [row] = await ask(`SELECT GET_LOCK(${name}, 0) AS result`)
        return row?.result === '1'
      }
      if (await take()) return true
      const until = now() + forceTimeout
      const { switching } = (await opened()).dialect
      const clients = async (): Promise<readonly number[]> =>
        (await ask(switching.sessions(leftOut))).map((row) => connectionId(row, 'id'))
      while (now() < until) {
        const [holder] = await ask(`SELECT IS_USED_LOCK(${name}) AS id`)
        if (holder?.id != null) {
          const id = connectionId(holder, 'id')
          // Whoever may log in can take a lock of any name, and a client is no switch.
          if (!force && !(await clients()).includes(id)) return false
          await killAll(switching.kill([id]))
        }
        if (await take()) return true
        await wait(10)
      }
      return false
    },
    sessions: async () => readSessions((await opened()).dialect.switching),
    kill: async (ids) => {
      if (!ids.every(isConnectionId)) throw unknownConnection()
      await killAll((await opened()).dialect.switching.kill(ids))
    },
    setReadOnly: async (isReadOnly) => {
      try {
        await change(...(await opened()).dialect.switching.setReadOnly(isReadOnly))
      } catch (error) {
        throw lockError(error, `did not become ${isReadOnly ? 'read-only' : 'writable'}`)
      }
    },
    lockCommits: async () => {
      const { commitLock } = (await opened()).dialect.switching
      if (commitLock === null) return
      try {
        await change(commitLock.take)
        hasCommitLock = true
      } catch (error) {
        throw lockError(error, 'could not be locked')
      }
    },
    gtids: readGtids,
    received: async () => {
      const { dialect } = await opened()
      const received = (await channels()).map(dialect.readChannel)
      return receivedGtids({ gtids: await readGtids(), channels: received })
    },
    written: async () => text((await ask((await opened()).dialect.switching.written))[0] ?? {}, 'log'),
    waitFor: async (gtids, milliseconds) => {
      const { dialect } = await opened()
      const known = dialect === dialects.mariadb ? readMariadbGtids(gtids) : readMysqlGtids(gtids)
      if (known === null) throw unknownGtids(place)
      if (gtids.trim() === '') return true
      const seconds = Math.max(milliseconds, 1) / 1000
      const [row] = await ask(dialect.switching.waitFor(gtids, seconds), milliseconds + limits.query)
      return row?.result === '0'
    },
    stopReceiving: async () => {
      const { dialect } = await opened()
      const names = (await channels()).map((row) => dialect.readChannel(row).name)
      await change(...names.map(dialect.switching.stopReceiver))
    },
    stopReplication: async () => change((await opened()).dialect.switching.stopAll),
    startReplication: async () => {
      try {
        await change((await opened()).dialect.switching.startAll)
      } catch (error) {
        // A server without channels has no threads to start.
        if (!(error instanceof DatabaseError) || error.code !== 'not-configured') throw error
      }
    },
    forgetSources: async () => {
      const { dialect } = await opened()
      await change(dialect.switching.stopAll)
      const names = (await channels()).map((row) => dialect.readChannel(row).name)
      await change(...names.map(dialect.switching.forget))
    },
    follow: async (source) => {
      const { dialect } = await opened()
      const { switching, readChannel } = dialect
      if (source.account && source.account.password.reveal().length > switching.longestPassword) {
        const message = `The database ${place} takes passwords of at most ${switching.longestPassword} characters for replication. Shorten replication-password.`
        throw new DatabaseError({ code: 'refused', message })
      }
      if (hasCommitLock) await followLocked(switching, source)
      const { main, others } = await mainChannel()
      await change(switching.stopAll)
      await change(...others.map(switching.forget))
      if (main === undefined) {
        if (source.account === undefined) {
          const message = `The database ${place} has no replication whose account it could keep.`
          throw new DatabaseError({ code: 'not-configured', message })
        }
        await stopEvents(switching)
        const [row = {}] = await ask(switching.written)
        const before = switching.begin(text(row, 'log'), text(row, 'applied'))
        if (before === null) throw unknownGtids(place)
        await change(...before)
      } else {
        const locked = lockedPosition
        const [row = {}] = locked === undefined ? [] : await ask(switching.written)
        const positions = locked === undefined ? undefined : { locked, applied: text(row, 'applied') }
        await change(...switching.afterLocked(main, positions))
      }
      const name = main === undefined ? '' : readChannel(main).name
      try {
        await change(switching.follow(name, source))
      } catch (error) {
        if (!(error instanceof DatabaseError) || !damagedChannel.has(error.number ?? 0))
          withoutStatement(error)
        // Its relay logs are of no use any more; where to go on by GTID is kept elsewhere.
        await change(dialect.reset(name))
        await change(switching.follow(name, source)).catch(withoutStatement)
      }
      await change(switching.startAll)
    },
    startEvents: async () => {
      const { eventScheduler } = (await opened()).dialect.switching
      if (eventScheduler) await change(eventScheduler.start)
    },
    disabledEvents: async () => {
      const rows = await ask((await opened()).dialect.switching.disabledEvents)
      return rows.map((row) => [text(row, 'schema'), text(row, 'name')].map(quoteName).join('.'))
    },
    setSemiSync: async ({ source, replica }) => {
      const { scope } = (await opened()).dialect.switching
      const rows = await ask("SHOW GLOBAL VARIABLES LIKE 'rpl\\_semi\\_sync\\_%\\_enabled'")
      const statements = rows.flatMap((row) => {
        const [name, role = ''] =
          /^rpl_semi_sync_(master|source|slave|replica)_enabled$/.exec(text(row, 'Variable_name')) ?? []
        const is = role === 'master' || role === 'source' ? source : replica
        const isSet = row.Value === 'ON'
        return name === undefined || is === isSet ? [] : [`SET ${scope} ${name} = ${is ? 1 : 0}`]
      })
      await change(...statements)
    },
    close: () => {
      end.abort()
      opening?.then(({ connection }) => connection.close()).catch(() => undefined)
    },
  }

  /**
   * Begins to follow while nobody can commit, and only then lets sessions go on: those that waited for the lock are ended,
   * since what they commit now would be on this server alone.
   */
  async function followLocked(switching: Dialect['switching'], source: Source): Promise<void> {
    if (switching.commitLock) lockedPosition = text((await ask(switching.written))[0] ?? {}, 'log')
    await change(...switching.followLocked(source)).catch(withoutStatement)
    // Before its sessions: an event that was due begins when the scheduler ends, and waits for the lock as others do.
    await stopEvents(switching)
    const waiting = (await readSessions(switching)).map(({ id }) => id)
    if (waiting.length > 0) await killAll(switching.kill(waiting))
    await change(...(switching.commitLock ? [switching.commitLock.release] : []))
    hasCommitLock = false
  }

  /** Ends the event scheduler where it runs; the operator accepted that an account without the privilege leaves it. */
  async function stopEvents({ eventScheduler }: Dialect['switching']): Promise<void> {
    if (!eventScheduler) return
    const [row] = await ask('SELECT @@GLOBAL.event_scheduler AS value')
    if (row?.value !== 'ON') return
    try {
      await change(eventScheduler.stop)
    } catch (error) {
      if (!(error instanceof DatabaseError) || !lacksPrivilege(error)) throw error
    }
  }

  /** Returns the error of a statement that waited in vain for sessions of others; any other error as it is. */
  function lockError(error: unknown, what: string): unknown {
    if (!(error instanceof DatabaseError) || error.number !== lockWaitTimeout) return error
    const message = `The database ${place} ${what}: statements or commits that are under way did not end in time.`
    return new DatabaseError({ code: 'refused', number: error.number, message, cause: error })
  }

  /** Sends all at once, since one after the other takes a round trip each. */
  async function killAll(statements: readonly string[]): Promise<void> {
    await Promise.all(
      statements.map(async (statement) => {
        try {
          await ask(statement, limits.change)
        } catch (error) {
          if (!(error instanceof DatabaseError) || error.number !== noSuchThread) throw error
        }
      }),
    )
  }
}

/** Returns a name as an identifier of SQL. */
const quoteName = (name: string): string => `\`${name.slice(0, 64).replaceAll('`', '``')}\``

/** Variables that are all ON where replicated changes go to the own binary log; each kind of server has two of them. */
const logVariables = ['log_bin', 'log_slave_updates', 'log_replica_updates'] as const

/** Channels that are read of a server that names more: none of a cluster has as many. */
const mostChannels = 100

/** ER_LOCK_WAIT_TIMEOUT. */
const lockWaitTimeout = 1205

/** ER_NO_SUCH_THREAD. */
const noSuchThread = 1094

/**
 * ER_MASTER_INFO and ER_SLAVE_RLI_INIT_REPOSITORY: the files of a channel do not fit together, as when the server was
 * killed while it changed its source. RESET makes them anew and keeps the account.
 */
const damagedChannel: ReadonlySet<number> = new Set([1201, 1872])

/** Throws the error without the one of the client library, which holds the statement and so a password. */
function withoutStatement(error: unknown): never {
  if (!(error instanceof DatabaseError)) throw error
  const { code, message, number } = error
  throw new DatabaseError({ code, message, ...(number === undefined ? {} : { number }) })
}

const unknownGtids = (place: string): DatabaseError =>
  new DatabaseError({
    code: 'refused',
    message: `The database ${place} was told or has something that is no set of GTIDs.`,
  })
