import { DatabaseError } from '../../../../src/components/databases/databaseError.ts'
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
  rows: number[]
}

/** Fault at the operation of that number: before or after it takes effect, of the connection alone or of the server. */
export type Fault = {
  readonly at: number
  readonly when: 'before' | 'after'
  readonly what: 'link' | 'server'
}

const gone = (name: string): DatabaseError =>
  new DatabaseError({ code: 'unreachable', message: `The database ${name} is gone.` })

/** Servers in replication with clients that write to each that lets them, between any two operations. */
export function createModel(fault?: Fault) {
  const servers: readonly ModelServer[] = ['db1', 'db2', 'db3'].map((name, index) => ({
    name,
    isUp: true,
    isWritable: index === 0,
    follows: index === 0 ? null : 'db1',
    isRunning: true,
    rows: [],
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
    for (const it of writable) {
      it.rows.push(time)
      acknowledged.push(time)
    }
  }
  function replicate(): void {
    for (const it of servers) {
      const source = it.follows === null ? undefined : server(it.follows)
      if (it.isUp && it.isRunning && source?.isUp) it.rows = [...source.rows]
    }
  }

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
    const read = (): SwitchReading => ({
      ...idleReading,
      isWritable: its.isWritable,
      gtids: readMariadbGtids(''),
      channels: its.follows === null ? [] : [{ ...channel, receiver: its.isRunning ? 'running' : 'stopped' }],
      missingPrivileges: [],
      logsReplicated: true,
      tls: null,
    })
    const modelled: SwitchServer = {
      place: name,
      read: () => act('read', read),
      lock: () => act('lock', () => true),
      sessions: () => act('sessions', () => []),
      kill: () => act('kill', () => undefined),
      setReadOnly: (isReadOnly) =>
        act(isReadOnly ? 'read-only' : 'writable', () => {
          its.isWritable = !isReadOnly
        }),
      written: () => act('written', () => `${its.rows.length}`),
      waitFor: (gtids) =>
        act('wait', () => {
          replicate()
          return its.rows.length >= Number(gtids)
        }),
      stopReplication: () =>
        act('stop', () => {
          its.isRunning = false
        }),
      startReplication: () =>
        act('start', () => {
          its.isRunning = true
        }),
      forgetSources: () =>
        act('forget', () => {
          its.follows = null
        }),
      follow: ({ host }) =>
        act('follow', () => {
          its.follows = host
          its.isRunning = true
        }),
      setSemiSync: () => act('semi-sync', () => undefined),
      close: () => {
        isLost = true
      },
    }
    return { name, host: name, port: 3306, server: modelled }
  }

  return {
    servers,
    server,
    nodeOf,
    replicate,
    acknowledged,
    done,
    mostWritable: () => mostWritable,
    operations: () => count,
  }
}
