import { DatabaseError } from '../../src/components/databases/databaseError.ts'
import type { Channel } from '../../src/components/databases/dialect.ts'
import {
  containsGtids,
  type GtidSet,
  gtidText,
  noGtids,
  readMariadbGtids,
  readMysqlGtids,
  uniteGtids,
} from '../../src/components/databases/gtidSet.ts'
import type { Session } from '../../src/components/databases/sessions.ts'
import type { SwitchReading } from '../../src/components/databases/switchServer.ts'
import type { DatabaseType } from '../../src/contracts/choices.ts'
import type { Network } from './network.ts'
import type { Random } from './random.ts'
import type { SimulatedProcess, VirtualTime } from './virtualTime.ts'

/** A transaction: server and number are its GTID, and it is the same one only as the same object. */
export type Transaction = { readonly server: number; readonly sequence: number }

export const gtidOf = ({ server, sequence }: Transaction): string => `0-${server}-${sequence}`

/** The UUID by which a MySQL writes. */
const uuidOf = (server: number): string => `00000000-0000-4000-8000-${String(server).padStart(12, '0')}`

/** Returns transactions as a set of MySQL. */
function mysqlGtids(all: Iterable<Transaction>): GtidSet | null {
  const ranges = new Map<number, [number, number][]>()
  for (const { server, sequence } of all) {
    const its = ranges.get(server) ?? []
    const end = its.at(-1)
    if (end && sequence === end[1] + 1) end[1] = sequence
    else its.push([sequence, sequence])
    ranges.set(server, its)
  }
  const texts = [...ranges].map(([server, its]) =>
    [uuidOf(server), ...its.map((it) => it.join('-'))].join(':'),
  )
  return readMysqlGtids(texts.join(','))
}

/** A session of the one client that writes on the host of a server. */
type Writing = { readonly id: number; readonly begun: number; readonly transaction: Transaction }

/** A connection of a switch to a server. */
export type SwitchSession = {
  readonly id: number
  readonly owner: SimulatedProcess | null
  /** Start of the server that it was opened in. */
  readonly run: number
  isClosed: boolean
  /** Time of its last statement. */
  usedAt: number
}

/** Replication of one server from another one, from its connection to the end of that. */
type Stream = {
  readonly replica: SimulatedServer
  readonly source: SimulatedServer
  readonly isSemiSync: boolean
  /** Index in the log of the source of what is sent next, and of what was received next. */
  sent: number
  received: number
}

/** A server of the simulation: its calls, and its faults. */
export type SimulatedServer = ReturnType<typeof createSimulatedServer>

const refused = (message: string): DatabaseError => new DatabaseError({ code: 'refused', message })

/** Milliseconds; `flush`: after them the end of a commit is on disk (innodb_flush_log_at_timeout); `idle`: after them a connection of a switch ends. */
const times = { reconnect: 5000, apply: 1, flush: 1000, idle: 68_000 } as const

/**
 * A MariaDB with the settings of the guide for losing nothing: `gtid_strict_mode`, `read_only` and the role of a replica at its
 * start, a commit that waits for the word of a replica in front of the engine (`AFTER_SYNC`) for as long as it takes. What it
 * does here was seen on servers of 10.11: a crash removes what waits, and any other end of a session keeps it; a replica that
 * starts fetches again what it had not applied. Or a MySQL 9.7, which differs in this: what waits is in its log, also after a
 * crash, unless its manager's unit cuts it off; its GTIDs have gaps, and do not name what waits; it fetches all that it lacks, in
 * any order, but never what it wrote itself.
 */
export function createSimulatedServer(means: {
  readonly id: number
  readonly name: string
  readonly kind: DatabaseType
  readonly time: VirtualTime
  readonly random: Random
  readonly network: Network
  /** Number of commits at once: so many may be in the log while the first of them waits for a replica. */
  readonly clients: number
  /** Milliseconds by which the clock of its host is wrong. */
  readonly clockError: () => number
  /** Returns the server of a host. */
  readonly server: (host: string) => SimulatedServer
  /** Called with each commit that is acknowledged; `isProtected` where a replica has it. */
  readonly acknowledged: (server: SimulatedServer, transaction: Transaction, isProtected: boolean) => void
  /** Called once it can be written. */
  readonly promoted: (server: SimulatedServer) => void
  /** Called with the transactions that a crash removed. */
  readonly lost: (transactions: readonly Transaction[]) => void
  readonly tell: (words: string) => void
}) {
  const { id, name, kind, clients, time, random, network, clockError, server } = means
  const { acknowledged, promoted, lost, tell } = means
  const clock = (): number => time.now() + clockError()
  const isMysql = kind === 'mysql'

  // On disk.
  let log: Transaction[] = []
  let replicated: Transaction | null = null
  let follows: string | null = null
  /** Times at which the engine committed each of the last transactions. */
  const committedAt = new Map<Transaction, number>()

  // Until it ends.
  let isUp = true
  let isHung = false
  let run = 1
  let startedAt = clock()
  let isReadOnly = true
  let semiSync = { source: false, replica: true }
  let relay: Transaction[] = []
  let receiver: Channel['receiver'] = 'stopped'
  let receiverError: Channel['receiverError'] = null
  let isApplying = false
  let applierError: Channel['applierError'] = null
  let stream: Stream | null = null
  let streams: Stream[] = []
  /** Connections whose replicas do not know that they ended, since the host lost its power. */
  let untold: Stream[] = []
  let waiting: Writing[] = []
  let blocked: (() => void)[] = []
  let lock: SwitchSession | null = null
  let commitLock: SwitchSession | null = null
  /** Hosts with a connection that is looked at, and what they do at its end. */
  const noticing = new Map<string, () => void>()
  let yes = 0
  let nextSession = 1
  let isStepPending = false
  let applyDelay: number = times.apply
  let whenGoingOn: (() => void)[] = []

  /** Does something once the server runs again, if that is in the same start. */
  function onceRunning(work: () => void): void {
    const its = run
    if (!isHung) {
      work()
      return
    }
    whenGoingOn.push(() => {
      if (run === its) work()
    })
  }

  const last = (): Transaction | undefined => log.at(-1)

  // --- Source of replication.

  function append(transaction: Transaction): void {
    log.push(transaction)
    committedAt.set(transaction, time.now())
    for (const it of streams) send(it)
  }

  /** Sends what a replica has not got; what goes over a link that is cut is sent again once it is whole. */
  function send(it: Stream): void {
    const from = it.sent
    if (isHung || from >= log.length) return
    const batch = log.slice(from)
    it.sent = log.length
    // What is on its way arrives, whatever becomes of the source.
    network.send(name, it.replica.name, () => it.replica.receive(it, from, batch))
  }

  function release(count: number, isProtected: boolean): void {
    for (const { transaction } of waiting.splice(0, count)) {
      if (isProtected) yes += 1
      committedAt.set(transaction, time.now())
      acknowledged(self, transaction, isProtected)
    }
  }

  function hearAck(it: Stream, upTo: number): void {
    if (!isUp || !streams.includes(it)) return
    const count = waiting.filter(({ transaction }) => log.lastIndexOf(transaction) < upTo).length
    release(count, true)
  }

  // --- Replica.

  function connect(): void {
    const source = follows === null ? undefined : server(follows)
    const its = run
    if (!source || receiver === 'stopped' || stream || !isUp) return
    receiver = 'connecting'
    const again = (): void => {
      time.after(
        times.reconnect,
        () => {
          if (run === its && receiver === 'connecting' && follows === source.name) onceRunning(connect)
        },
        null,
      )
    }
    const isSemi = semiSync.replica
    network.ask(
      name,
      source.name,
      () => {
        if (run !== its || receiver !== 'connecting' || follows !== source.name || stream) return
        if (!source.isReachable()) {
          receiverError = { number: 2003, message: 'It cannot connect.' }
          return again()
        }
        if (source.isHung()) {
          receiverError = { number: 2013, message: 'It lost the connection.' }
          return again()
        }
        // What a MySQL has of the source itself, that one must have; of a MariaDB the last one counts.
        const from = isMysql
          ? ([...log, ...relay].findLast((it) => it.server === source.id) ?? null)
          : (relay.at(-1) ?? replicated)
        const at = from === null ? 0 : source.indexOf(from) + 1
        const index = isMysql ? firstMissing(source.log()) : at
        if (from !== null && at === 0) {
          receiver = 'stopped'
          receiverError = { number: 1236, message: `The source does not have ${gtidOf(from)}.` }
          tell(`${name} cannot follow ${source.name}: it does not have ${gtidOf(from)}`)
          return
        }
        receiver = 'running'
        receiverError = null
        stream = { replica: self, source, isSemiSync: isSemi, sent: index, received: index }
        source.serve(stream)
      },
      () => {
        if (run !== its || receiver !== 'connecting') return
        receiverError = { number: 2003, message: 'It cannot connect.' }
        again()
      },
    )
  }

  /** Returns where the first transaction of a log is that a MySQL fetches. */
  function firstMissing(its: readonly Transaction[]): number {
    const has = new Set([...log, ...relay])
    const at = its.findIndex((it) => !has.has(it) && it.server !== id)
    return at === -1 ? its.length : at
  }

  function disconnect(): void {
    if (!stream) return
    const ended = stream
    stream = null
    network.send(name, ended.source.name, () => ended.source.forget(ended))
  }

  function apply(): void {
    const its = run
    if (isStepPending || !isApplying || relay.length === 0) return
    isStepPending = true
    time.after(
      applyDelay,
      () => {
        onceRunning(() => {
          if (run !== its) return
          isStepPending = false
          const next = relay[0]
          if (!isApplying || !next) return
          const before = last()
          if (!isMysql && before && next.sequence <= before.sequence) {
            isApplying = false
            applierError = {
              number: 1950,
              message: `${gtidOf(next)} is out of order after ${gtidOf(before)}.`,
            }
            tell(`${name} does not apply ${gtidOf(next)} after ${gtidOf(before)}`)
            return
          }
          relay.shift()
          replicated = next
          append(next)
          apply()
        })
      },
      null,
    )
  }

  function startReceiver(): void {
    if (follows === null || receiver !== 'stopped') return
    receiver = 'connecting'
    receiverError = null
    connect()
  }

  function stopReceiver(): void {
    receiver = 'stopped'
    disconnect()
  }

  function startThreads(): void {
    if (follows === null) return
    // What was not applied is fetched again once both threads had stopped.
    if (!isMysql && receiver === 'stopped' && !isApplying) relay = []
    isApplying = true
    applierError = null
    startReceiver()
    apply()
  }

  function stopThreads(): void {
    stopReceiver()
    isApplying = false
  }

  // --- Sessions.

  function endSessions(isTold: boolean): void {
    lock = null
    commitLock = null
    blocked = []
    waiting = []
    if (isTold) for (const it of streams) network.send(name, it.replica.name, () => it.replica.lose(it))
    else untold = [...untold, ...streams]
    streams = []
    if (isTold) disconnect()
    if (isTold) for (const [host, work] of noticing) network.send(name, host, work)
    noticing.clear()
    stream = null
    isStepPending = false
    whenGoingOn = []
  }

  function unlockCommits(): void {
    commitLock = null
    for (const work of blocked.splice(0)) work()
  }

  const gtids = (): GtidSet | null => {
    if (isMysql) {
      const open = new Set(waiting.map(({ transaction }) => transaction))
      return mysqlGtids(open.size === 0 ? log : log.filter((it) => !open.has(it)))
    }
    const newest = new Map<number, number>()
    for (const it of log) newest.set(it.server, it.sequence)
    const written = [...newest].map(([its, sequence]) => `0-${its}-${sequence}`).join(',')
    return readMariadbGtids(written, replicated ? gtidOf(replicated) : '')
  }
  const receivedGtids = (): GtidSet | null =>
    isMysql ? mysqlGtids(relay) : readMariadbGtids(gtidTextOf(relay.at(-1) ?? replicated))
  const gtidTextOf = (it: Transaction | null): string => (it ? gtidOf(it) : '')

  const reading = (): SwitchReading => ({
    version: isMysql ? '9.7.0' : '10.11.14-MariaDB-log',
    isWritable: !isReadOnly,
    serverId: id,
    uuid: isMysql ? uuidOf(id) : null,
    semiSync,
    ackGaps: semiSync.source ? [] : [`rpl_semi_sync_${isMysql ? 'source' : 'master'}_enabled=1`],
    takesOwn: !isMysql && semiSync.replica,
    proxyNetworks: '',
    gtids: gtids(),
    channels:
      follows === null
        ? []
        : [
            {
              name: '',
              source: { host: follows, port: 3306 },
              sourceId: server(follows).id,
              receiver,
              receiverError,
              applier: isApplying ? 'running' : 'stopped',
              applierError,
              secondsBehind: receiver === 'running' ? 0 : null,
              received: null,
              applied: null,
              sequence: replicated?.sequence ?? null,
              byGtid: true,
              receivedGtids: receivedGtids(),
              delay: 0,
              tls: null,
            },
          ],
    position: null,
    uptime: Math.floor((clock() - startedAt) / 1000),
    semiSyncClients: streams.filter((it) => it.isSemiSync).length,
    ackers: semiSync.source ? streams.filter((it) => it.isSemiSync).length : null,
    waitingCommits: waiting.length,
    acknowledged: semiSync.source ? yes : null,
    omissions: [],
    missingPrivileges: [],
    logsReplicated: true,
    runsEvents: false,
    canStopEvents: false,
    tls: null,
  })

  const self = {
    id,
    name,
    isUp: () => isUp,
    isHung: () => isHung,
    isReachable: () => isUp,
    isWritable: () => isUp && !isHung && !isReadOnly,
    /** The number of the start that it is in. */
    run: () => run,
    /** Has a host notice the end of its connection; the last call of a host counts. */
    notice: (host: string, work: () => void): void => void noticing.set(host, work),
    onceRunning,
    has: (transaction: Transaction) => log.lastIndexOf(transaction) !== -1,
    hasReceived: (transaction: Transaction) => relay.includes(transaction),
    /** Looks from the end, since that is where recent ones are. */
    indexOf: ({ server: its, sequence }: Transaction) =>
      log.findLastIndex((it) => it.server === its && it.sequence === sequence),
    log: (): readonly Transaction[] => log,
    follows: () => follows,
    /** The source that it would acknowledge to, also one that hangs or cannot be reached. */
    acknowledgesTo: () => (stream?.isSemiSync ? stream.source : null),
    /** Writable for those who reach it, once it goes on. */
    mayBeWritten: () => isUp && !isReadOnly,
    receiver: () => receiver,
    reading,

    // --- Replication.
    serve: (it: Stream) => {
      streams.push(it)
      send(it)
    },
    forget: (it: Stream) => {
      streams = streams.filter((other) => other !== it)
    },
    /** The source is gone, or ended the connection. */
    lose: (it: Stream) => {
      if (stream !== it) return
      stream = null
      if (receiver !== 'running') return
      receiver = 'connecting'
      receiverError = null
      connect()
    },
    receive: (it: Stream, from: number, batch: readonly Transaction[]) => {
      if (!isUp || stream !== it) return
      onceRunning(() => {
        if (stream !== it || it.received !== from) return
        const has = isMysql ? new Set([...log, ...relay]) : undefined
        for (const next of batch) {
          const isTaken = has ? next.server !== id && !has.has(next) : next.server !== id || semiSync.replica
          if (isTaken) relay.push(next)
        }
        it.received = from + batch.length
        apply()
        const upTo = it.received
        if (it.isSemiSync) network.send(name, it.source.name, () => it.source.hear(it, upTo))
      })
    },
    hear: (it: Stream, upTo: number) => {
      if (isUp) onceRunning(() => hearAck(it, upTo))
    },

    // --- Clients.
    /** Lets the client of the host write once, if the server lets it. */
    write: (): void => {
      if (!isUp || isHung) return
      const attempt = (): void => {
        if (isReadOnly) return
        const sequence = isMysql
          ? (log.findLast((it) => it.server === id)?.sequence ?? 0) + 1
          : Math.max(last()?.sequence ?? 0, replicated?.sequence ?? 0) + 1
        const transaction: Transaction = { server: id, sequence }
        nextSession += 1
        if (semiSync.source) waiting.push({ id: nextSession, begun: time.now(), transaction })
        append(transaction)
        if (!semiSync.source) acknowledged(self, transaction, false)
      }
      if (commitLock && blocked.length < 3) blocked.push(attempt)
      // Behind those that wait for a replica nobody gets at the log.
      else if (!commitLock && waiting.length < clients) attempt()
    },

    // --- Switch.
    open: (owner: SimulatedProcess | null): SwitchSession => {
      nextSession += 1
      return { id: nextSession, owner, run, isClosed: false, usedAt: time.now() }
    },
    close: (session: SwitchSession): void => {
      session.isClosed = true
      if (lock === session) lock = null
      if (commitLock === session) unlockCommits()
    },
    /** Closes it if it is one of this server, whose number others may have, too. */
    drop: (session: SwitchSession): void => {
      if (lock === session || commitLock === session) self.close(session)
    },
    takeLock: (session: SwitchSession, force: boolean): boolean => {
      // One of a host without power does not end by itself.
      if (lock && lock !== session && time.now() - lock.usedAt > times.idle) self.close(lock)
      if (lock && lock !== session && !force) return false
      if (lock && lock !== session) self.close(lock)
      lock = session
      return true
    },
    sessions: (): readonly Session[] =>
      waiting.map((it) => ({
        id: it.id,
        user: 'app',
        milliseconds: time.now() - it.begun,
        isIdle: false,
        transaction: { id: gtidOf(it.transaction), seconds: Math.floor((time.now() - it.begun) / 1000) },
      })),
    /** A commit whose session is ended stays, and is not acknowledged. */
    kill: (ids: readonly number[]): void => {
      waiting = waiting.filter((it) => !ids.includes(it.id))
      if (commitLock) blocked = []
    },
    setReadOnly: (is: boolean): void => {
      if (is && !isReadOnly && waiting.length > 0) throw refused('Commits are under way.')
      const isPromoted = isReadOnly && !is
      isReadOnly = is
      if (isPromoted) promoted(self)
    },
    lockCommits: (session: SwitchSession): void => {
      if (waiting.length > 0) throw refused('Commits are under way.')
      commitLock = session
    },
    gtids,
    received: (): GtidSet | null => {
      const own = gtids()
      const its = receivedGtids()
      return own && (follows === null ? own : its && uniteGtids([own, its]))
    },
    written: (): string =>
      isMysql ? gtidText(gtids() ?? noGtids, Number.POSITIVE_INFINITY) : gtidTextOf(last() ?? null),
    /** Of MariaDB by the number alone, as MASTER_GTID_WAIT does. */
    hasApplied: (text: string): boolean => {
      if (isMysql) return containsGtids(gtids() ?? noGtids, readMysqlGtids(text) ?? noGtids)
      return text === '' || (replicated?.sequence ?? 0) >= Number(text.split('-')[2])
    },
    stopReceiver,
    stopThreads,
    startThreads,
    forgetSources: (): void => {
      stopThreads()
      follows = null
      relay = []
    },
    follow: (host: string): void => {
      if (follows === null) replicated = last() ?? replicated
      stopThreads()
      follows = host
      relay = []
      if (commitLock) {
        blocked = []
        unlockCommits()
      }
      startThreads()
    },
    /** Whoever waits for a replica waits no more once it is no source. */
    setSemiSync: (roles: { readonly source: boolean; readonly replica: boolean }): void => {
      if (semiSync.source && !roles.source) release(waiting.length, false)
      semiSync = roles
    },

    // --- Faults.
    /**
     * Ends at once: commits that wait are gone, and so may be the last ones that were told, whose end the engine had not
     * written. The log of a MySQL keeps all, but for what a unit cuts off that kills it: what waits and is not among `kept`.
     */
    crash: (
      most: number,
      how: { readonly isTold: boolean; readonly kept?: GtidSet } = { isTold: true },
    ): void => {
      if (!isUp) return
      const before = [...log, ...relay]
      const open = new Set(waiting.map(({ transaction }) => transaction))
      const { kept } = how
      const stays = (it: Transaction): boolean =>
        !open.has(it) || (isMysql && (!kept || containsGtids(kept, mysqlGtids([it]) ?? noGtids)))
      log = log.filter(stays)
      for (let left = isMysql ? 0 : random.whole(0, most); left > 0; left -= 1) {
        const end = last()
        if (!end || time.now() - (committedAt.get(end) ?? 0) > times.flush) break
        log.pop()
      }
      if (replicated && !log.includes(replicated)) replicated = last() ?? null
      relay = []
      committedAt.clear()
      isUp = false
      isHung = false
      endSessions(how.isTold)
      receiver = 'stopped'
      lost(before.filter((it) => !log.includes(it)))
    },
    /** Ends as an administrator ends it: commits that wait stay, and are not acknowledged. */
    stop: (): void => {
      if (!isUp || isHung) return
      waiting = []
      isUp = false
      endSessions(true)
      receiver = 'stopped'
    },
    start: (): void => {
      if (isUp) return
      isUp = true
      run += 1
      startedAt = clock()
      isReadOnly = true
      semiSync = { source: false, replica: true }
      relay = []
      isApplying = false
      yes = 0
      for (const it of untold.splice(0)) network.send(name, it.replica.name, () => it.replica.lose(it))
      startThreads()
    },
    hang: (): void => {
      if (isUp) isHung = true
    },
    goOn: (): void => {
      if (!isHung) return
      isHung = false
      for (const work of whenGoingOn.splice(0)) work()
      for (const it of streams) send(it)
    },
    setApplyDelay: (milliseconds: number): void => {
      applyDelay = milliseconds
    },
    /** The connection to the source ends on both sides: what was on its way is lost, words of the replica, too. */
    giveUp: (): void => {
      const ended = stream
      if (!ended || receiver !== 'running') return
      ended.source.forget(ended)
      self.lose(ended)
    },
    /** The first primary of a service. */
    begin: (): void => {
      isReadOnly = false
      semiSync = { source: true, replica: false }
    },
  }
  return self
}
