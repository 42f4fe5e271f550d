import { DatabaseError } from '../../../../src/components/databases/databaseError.ts'
import type { Channel } from '../../../../src/components/databases/dialect.ts'
import { readMariadbGtids } from '../../../../src/components/databases/gtidSet.ts'
import type { SwitchReading, SwitchServer } from '../../../../src/components/databases/switchServer.ts'
import type { SwitchNode } from '../../../../src/components/manager/switch/runSwitch.ts'
import { channel, idleReading } from '../support.ts'

/** A server of the model: `rows` are the transactions that it has. */
export type ModelServer = {
  readonly name: string
  isUp: boolean
  isWritable: boolean
  follows: string | null
  isRunning: boolean
  /** False while its receiver is stopped and its applier is not. */
  isReceiving: boolean
  rows: number[]
  /** Rows that it received beyond those, and has not applied. */
  unapplied: number[]
  /** True while no session of any right can commit. */
  isLocked: boolean
  /** True while its event scheduler runs. */
  runsEvents: boolean
  /** True if nobody can start it. */
  refusesEvents: boolean
  /** True if it takes no other source. */
  refusesToFollow: boolean
  /** True if its replication cannot be started. */
  refusesToStart: boolean
  /** GTIDs that it has besides those of its rows. */
  errant: string
  /** Those that it writes by itself once it follows. */
  errantOnceItFollows: string
  /** True if it has all settings of a source of semi-synchronous replication but for the role, as after a start. */
  lacksRole: boolean
  /** True while its commits wait for a replica: it acknowledges none, and cannot become read-only. */
  waitsForReplica: boolean
  /** State of the receiver of its channel; null where that follows from `isRunning`. */
  receiver: Pick<Channel, 'receiver' | 'receiverError'> | null
}

/** Fault at the operation of that number: before or after it takes effect, of the connection alone or of the server. */
export type Fault = {
  readonly at: number
  readonly when: 'before' | 'after'
  readonly what: 'link' | 'server'
}

const gone = (name: string): DatabaseError =>
  new DatabaseError({ code: 'unreachable', message: `The database ${name} is gone.` })

/**
 * Servers in replication with clients that write to each that lets them, between any two operations. An administrator
 * writes to db1 while it follows nobody, also where it is read-only.
 */
export function createModel(fault?: Fault, more: { readonly hasAdministrator?: boolean } = {}) {
  const servers: readonly ModelServer[] = ['db1', 'db2', 'db3'].map((name, index) => ({
    name,
    isUp: true,
    isWritable: index === 0,
    follows: index === 0 ? null : 'db1',
    isRunning: true,
    isReceiving: true,
    rows: [],
    unapplied: [],
    isLocked: false,
    runsEvents: false,
    refusesEvents: false,
    refusesToFollow: false,
    refusesToStart: false,
    errant: '',
    errantOnceItFollows: '',
    lacksRole: false,
    waitsForReplica: false,
    receiver: null,
  }))
  const acknowledged: number[] = []
  const done: string[] = []
  let mostWritable = 0
  let time = 0

  const server = (name: string): ModelServer => {
    const found = servers.find((it) => it.name === name)
    if (!found) throw new Error(`no ${name}`)
    return found
  }
  /** Clients that still get through write; replication follows. */
  function tick(): void {
    time += 1
    const writable = servers.filter((it) => it.isUp && it.isWritable)
    mostWritable = Math.max(mostWritable, writable.length)
    const administered = servers.filter(
      (it) => more.hasAdministrator && it.name === 'db1' && it.isUp && !it.isWritable && it.follows === null,
    )
    for (const it of [...writable, ...administered]) {
      if (it.isLocked || it.waitsForReplica) continue
      it.rows.push(time)
      acknowledged.push(time)
    }
  }
  function replicate(): void {
    for (const it of servers) {
      const source = it.follows === null ? undefined : server(it.follows)
      if (it.isUp && it.isRunning) it.rows = [...it.rows, ...it.unapplied.splice(0)]
      if (it.isUp && it.isRunning && it.isReceiving && source?.isUp) it.rows = [...source.rows]
    }
  }

  const readingOf = (its: ModelServer): SwitchReading => ({
    ...idleReading,
    isWritable: its.isWritable,
    ...(its.lacksRole && { ackGaps: ['rpl_semi_sync_master_enabled=1'] }),
    ...(its.waitsForReplica && { ackGaps: [], ackers: 0, waitingCommits: 1 }),
    gtids: readMariadbGtids(its.errant, `0-1-${its.rows.length}`),
    serverId: Number(its.name.slice(2)),
    channels:
      its.follows === null
        ? []
        : [
            {
              ...channel,
              source: { host: its.follows, port: 3306 },
              sourceId: null,
              receivedGtids: readMariadbGtids(its.errant, `0-1-${its.rows.length + its.unapplied.length}`),
              receiver: its.isRunning && its.isReceiving ? 'running' : 'stopped',
              ...its.receiver,
            },
          ],
    missingPrivileges: [],
    logsReplicated: true,
    omissions: [],
    runsEvents: its.runsEvents,
    canStopEvents: its.runsEvents,
    tls: null,
  })

  let count = 0
  function nodeOf(name: string): SwitchNode {
    let isLost = false
    const its = server(name)
    async function act<Result>(operation: string, work: () => Result): Promise<Result> {
      if (isLost || !its.isUp) throw gone(name)
      const isFault = count === fault?.at
      count += 1
      tick()
      const lose = (): never => {
        isLost = true
        its.isLocked = false
        if (fault?.what === 'server') its.isUp = false
        throw gone(name)
      }
      if (isFault && fault.when === 'before') lose()
      const result = work()
      done.push(`${name} ${operation}`)
      tick()
      if (isFault) lose()
      return result
    }
    const modelled: SwitchServer = {
      place: name,
      read: () => act('read', () => readingOf(its)),
      lock: () => act('lock', () => true),
      sessions: () => act('sessions', () => []),
      kill: () => act('kill', () => undefined),
      setReadOnly: (isReadOnly) =>
        act(isReadOnly ? 'read-only' : 'writable', () => {
          if (its.waitsForReplica) throw new DatabaseError({ code: 'refused', message: 'Commits wait.' })
          its.isWritable = !isReadOnly
        }),
      lockCommits: () =>
        act('lock commits', () => {
          its.isLocked = true
        }),
      gtids: () => act('gtids', () => readMariadbGtids(its.errant, `0-1-${its.rows.length}`)),
      written: () => act('written', () => `${its.rows.length}`),
      waitFor: (gtids) =>
        act('wait', () => {
          replicate()
          return its.rows.length >= Number(gtids)
        }),
      received: () =>
        act('received', () => readMariadbGtids(its.errant, `0-1-${its.rows.length + its.unapplied.length}`)),
      stopReceiving: () =>
        act('stop receiving', () => {
          its.isReceiving = false
        }),
      stopReplication: () =>
        act('stop', () => {
          its.isRunning = false
        }),
      startReplication: () =>
        act('start', () => {
          if (its.refusesToStart) throw new DatabaseError({ code: 'refused', message: 'Its disk is full.' })
          its.isRunning = true
          its.isReceiving = true
        }),
      forgetSources: () =>
        act('forget', () => {
          its.follows = null
        }),
      follow: ({ host }) =>
        act('follow', () => {
          if (its.refusesToFollow) throw new DatabaseError({ code: 'refused', message: 'Its disk is full.' })
          its.follows = host
          its.errant ||= its.errantOnceItFollows
          its.isRunning = true
          its.isReceiving = true
          its.isLocked = false
          its.runsEvents = false
        }),
      startEvents: () =>
        act('start events', () => {
          if (its.refusesEvents) throw new DatabaseError({ code: 'refused', message: 'It is disabled.' })
          its.runsEvents = true
        }),
      disabledEvents: () => act('disabled events', () => (its.runsEvents ? ['`shop`.`beat`'] : [])),
      setSemiSync: () => act('semi-sync', () => undefined),
      close: () => {
        isLost = true
        its.isLocked = false
      },
    }
    return { name, host: name, port: 3306, server: modelled }
  }

  return {
    servers,
    server,
    nodeOf,
    readingOf,
    replicate,
    acknowledged,
    done,
    mostWritable: () => mostWritable,
    operations: () => count,
  }
}
