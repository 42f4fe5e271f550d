import { ProblemError } from '../../src/api/problemError.ts'
import { DatabaseError } from '../../src/components/databases/databaseError.ts'
import { type GtidSet, noGtids, readMysqlGtids } from '../../src/components/databases/gtidSet.ts'
import type { Probe } from '../../src/components/databases/probe.ts'
import type { SwitchServer } from '../../src/components/databases/switchServer.ts'
import type { ManagerAnswer, OtherManagers } from '../../src/components/manager/askManagers.ts'
import { createManager, type Manager } from '../../src/components/manager/createManager.ts'
import { addressOf, sourcesOf } from '../../src/components/manager/dataSources.ts'
import { openLastRuns } from '../../src/components/manager/lastRuns.ts'
import { openStateStore } from '../../src/components/manager/managerState.ts'
import { createMonitor, defaultCheckInterval } from '../../src/components/manager/monitor.ts'
import { failOverByItself } from '../../src/components/manager/switch/automaticFailover.ts'
import { createSwitcher, type Switcher } from '../../src/components/manager/switch/switcher.ts'
import type { StateFile } from '../../src/components/stateFile.ts'
import type { Routing } from '../../src/contracts/routing.ts'
import type { ServicesMap } from '../../src/contracts/servicesMap.ts'
import { Secret } from '../../src/secrets/secret.ts'
import type { Network } from './network.ts'
import type { Random } from './random.ts'
import type { SimulatedServer, SwitchSession } from './simulatedServer.ts'
import { newProcess, type SimulatedProcess, type VirtualTime } from './virtualTime.ts'

export const service = 'alpha'

/** Milliseconds, as the programs have them: of connections and statements of a switch, and of calls of other managers. */
const limits = {
  switch: { query: 3000, change: 10_000 },
  probe: 2000,
  manager: { routing: 2000, hold: 2000, release: 4000, lost: 500 },
}

/** A file that survives its process. */
function createDisk() {
  let text: string | undefined
  let isFull = false
  const file: StateFile = {
    read: () => (text === undefined ? undefined : JSON.parse(text)),
    write: (value) => {
      if (isFull) throw new Error('No space left on device.')
      text = JSON.stringify(value)
    },
  }
  return {
    file,
    fill: (is: boolean): void => {
      isFull = is
    },
  }
}

/** The manager of a host, which is made anew with each start of its process. */
export type SimulatedManager = ReturnType<typeof createSimulatedManager>

/** Wires a real manager to servers and to other managers of the simulation. */
export function createSimulatedManager(means: {
  readonly host: string
  readonly map: ServicesMap
  readonly time: VirtualTime
  readonly random: Random
  readonly network: Network
  /** False while the host is without power. */
  readonly isOn: (host: string) => boolean
  readonly server: (host: string) => SimulatedServer
  readonly others: () => readonly SimulatedManager[]
  /** Kills the server of this host, starts it again, and this manager with it. */
  readonly crash: () => void
  /** Called with each change of a server that a switch or a failover is about to make. */
  readonly changes: (host: string, to: string) => void
  readonly tell: (words: string) => void
}) {
  const { host, map, time, random, network, isOn, server, crash, changes, tell } = means
  const disks = { state: createDisk(), runs: createDisk() }
  let process: SimulatedProcess | null = null
  let manager: Manager | null = null
  let switcher: Switcher | null = null
  const sessions: SwitchSession[] = []
  let clockError = 0
  const begin = Date.parse('2026-01-01T00:00:00Z')

  const now = (): Date => new Date(begin + time.now() + clockError)
  const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Error('aborted'))
      const end = (): void => {
        cancel()
        reject(new Error('aborted'))
      }
      const cancel = time.after(milliseconds, () => {
        signal?.removeEventListener('abort', end)
        resolve()
      })
      signal?.addEventListener('abort', end)
    })
  const timing = { now: () => time.now(), wait: (milliseconds: number) => wait(milliseconds) }
  const line = (level: string) => (facts: object, message: string) =>
    tell(
      `${host} manager ${level}: ${message} ${JSON.stringify(facts, (_key, value) => (value instanceof Error ? value.message : value))}`,
    )
  const log = { info: line('info'), warn: line('warn'), error: line('error') }

  const errorOf = (to: string, code: 'unreachable' | 'timeout', words: string): DatabaseError =>
    new DatabaseError({ code, message: `The database ${to} ${words}` })

  /** Brings an answer of a host to the process that waits for it, unless the way back is cut. */
  const answerFrom =
    (from: string, owner: SimulatedProcess | null, cancel: () => void) =>
    (settle: () => void): void => {
      if (!network.isWhole(from, host) || !isOn(from)) return
      time.after(
        network.delay(from, host),
        () => {
          cancel()
          settle()
        },
        owner,
      )
    }

  /** Calls a server: what it does happens there once the call has come, and its answer may be lost. */
  function call<Result>(options: {
    readonly to: string
    readonly limit: number
    readonly isBroken?: () => boolean
    readonly onLate?: () => void
    readonly work: (its: SimulatedServer) => Result
  }): Promise<Result> {
    const { to, limit, isBroken = () => false, onLate, work } = options
    const owner = time.current()
    return new Promise((resolve, reject) => {
      const cancel = time.after(limit, () => {
        onLate?.()
        reject(errorOf(to, 'timeout', 'did not answer in time.'))
      })
      const answer = answerFrom(to, owner, cancel)
      time.after(
        network.delay(host, to),
        () => {
          const its = server(to)
          if (!network.isWhole(host, to) || !isOn(to)) return
          if (!its.isUp()) return answer(() => reject(errorOf(to, 'unreachable', 'cannot be reached.')))
          if (isBroken()) return answer(() => reject(errorOf(to, 'unreachable', 'broke the connection off.')))
          its.onceRunning(() => {
            if (isBroken()) return
            try {
              const result = work(its)
              answer(() => resolve(result))
            } catch (error) {
              answer(() => reject(error))
            }
          })
        },
        null,
      )
    })
  }

  function probeOf(to: string, onLost: () => void): Probe {
    const owner = time.current()
    const work = (its: SimulatedServer) => {
      its.notice(host, () => void time.after(0, onLost, owner))
      return its.reading()
    }
    return { read: () => call({ to, limit: limits.probe, work }), close: () => undefined }
  }

  function open(to: string): SwitchServer {
    const owner = process
    let session: SwitchSession | undefined
    let isGone = false
    const ask = <Result>(
      work: (its: SimulatedServer, session: SwitchSession) => Result,
      limit: number = limits.switch.query,
    ): Promise<Result> => {
      if (isGone) return Promise.reject(errorOf(to, 'unreachable', 'is closed.'))
      return call({
        to,
        limit,
        // Without a login there is nobody to do it; what was sent after one is done, whatever becomes of the connection.
        isBroken: () => (session ? session.isClosed || session.run !== server(to).run() : isGone),
        onLate: close,
        work: (its) => {
          if (!session) {
            session = its.open(owner)
            sessions.push(session)
          }
          session.usedAt = time.now()
          return work(its, session)
        },
      })
    }
    const change = (work: (its: SimulatedServer, session: SwitchSession) => void): Promise<void> => {
      changes(host, to)
      return ask(work, limits.switch.change)
    }
    function close(): void {
      isGone = true
      const its = session
      if (!its || its.isClosed) return
      network.send(host, to, () => {
        const there = server(to)
        if (there.run() === its.run) there.onceRunning(() => there.close(its))
      })
    }
    return {
      place: to,
      read: () => ask((its) => its.reading()),
      lock: (force) => ask((its, own) => its.takeLock(own, force)),
      sessions: () => ask((its) => its.sessions()),
      kill: (ids) => ask((its) => its.kill(ids)),
      setReadOnly: (is) => change((its) => its.setReadOnly(is)),
      lockCommits: () => change((its, own) => its.lockCommits(own)),
      gtids: () => ask((its) => its.gtids()),
      received: () => ask((its) => its.received()),
      written: () => ask((its) => its.written()),
      waitFor: (gtids, milliseconds) => waitFor(ask, gtids, milliseconds),
      stopReceiving: () => change((its) => its.stopReceiver()),
      stopReplication: () => change((its) => its.stopThreads()),
      startReplication: () => change((its) => its.startThreads()),
      forgetSources: () => change((its) => its.forgetSources()),
      follow: (source) => change((its) => its.follow(source.host)),
      startEvents: async () => undefined,
      disabledEvents: async () => [],
      setSemiSync: (roles) => change((its) => its.setSemiSync(roles)),
      close,
    }
  }

  async function waitFor(
    ask: <Result>(work: (its: SimulatedServer) => Result) => Promise<Result>,
    gtids: string,
    milliseconds: number,
  ): Promise<boolean> {
    const end = time.now() + milliseconds
    for (;;) {
      if (await ask((its) => its.hasApplied(gtids))) return true
      if (time.now() >= end) return false
      await wait(Math.min(20, milliseconds))
    }
  }

  /** Asks another manager; its answer may be lost. */
  function askManager<Result>(
    other: SimulatedManager,
    limit: number,
    work: (its: Manager) => Result | Promise<Result>,
  ): Promise<Result> {
    const owner = time.current()
    return new Promise((resolve, reject) => {
      const fail = (detail: string): void => reject(new ProblemError({ code: 'manager-unreachable', detail }))
      const cancel = time.after(limit, () => fail(`The manager of ${other.host} does not answer.`))
      const answer = answerFrom(other.host, owner, cancel)
      time.after(
        network.delay(host, other.host),
        () => {
          if (!network.isWhole(host, other.host) || !isOn(other.host)) return
          const its = other.running()
          if (!its) return answer(() => fail(`Nothing listens at ${other.host}.`))
          time.as(its.process, () => {
            Promise.resolve()
              .then(() => work(its.manager))
              .then(
                (value) => answer(() => resolve(value)),
                (error: unknown) => answer(() => reject(error)),
              )
          })
        },
        null,
      )
    })
  }

  async function answerOf<More extends object>(
    other: SimulatedManager,
    asked: Promise<More>,
  ): Promise<ManagerAnswer & Partial<More>> {
    try {
      return { name: other.host, ...(await asked) }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      return { name: other.host, problem: error.message, code: error.code } as ManagerAnswer & Partial<More>
    }
  }

  /** Tells all of them; the one that may be gone is told, and not waited for. */
  function tellAll(
    lost: string | undefined,
    limit: number,
    work: (its: Manager) => Promise<boolean> | boolean,
  ): Promise<readonly ManagerAnswer[]> {
    const asked = (other: SimulatedManager): Promise<ManagerAnswer> =>
      answerOf(
        other,
        askManager(other, limit, async (its) => ({ changed: await work(its) })),
      )
    for (const other of means.others()) if (other.host === lost) void asked(other)
    return Promise.all(means.others().flatMap((it) => (it.host === lost ? [] : [asked(it)])))
  }

  const others: OtherManagers = {
    hold: ({ service: of, ...order }, lost) =>
      tellAll(lost, limits.manager.hold, (its) => its.hold({ ...order, service: of, isOwn: false })),
    release: ({ service: of, ...order }, lost) =>
      tellAll(lost, limits.manager.release, (its) => its.release({ ...order, service: of, isOwn: false })),
    routings: (lost) =>
      Promise.all(
        means.others().map((other) =>
          answerOf(
            other,
            askManager(
              other,
              other.host === lost ? limits.manager.lost : limits.manager.routing,
              (its): { routing: Routing } => ({ routing: its.routing() }),
            ),
          ),
        ),
      ),
    replications: async () => [],
  }

  function boot(): void {
    const opened = createManager({
      installed: map,
      kept: openStateStore({ file: disks.state.file, path: '/state', installed: map, now: now() }),
      monitor: (onCheck) =>
        createMonitor({
          open: (its, onLost) => probeOf(its.host, onLost),
          timing: {
            checkInterval: defaultCheckInterval,
            limit: 1000,
            now: () => time.now(),
            wait,
            random: random.number,
          },
          isLocal: (its) => its.host === host,
          onCheck,
          onError: (error) => log.error({ err: error }, 'a fault of the manager'),
        }),
      now,
      after: (milliseconds, work) => time.after(milliseconds, work),
      elapsed: time.now,
      log,
      own: {
        addresses: new Set(sourcesOf(map).flatMap((it) => (it.name === host ? [addressOf(it)] : []))),
        runs: openLastRuns(disks.runs.file),
      },
      isOwn: (source) => source.name === host,
      askReplicator: async () => null,
    })
    manager = opened
    switcher = createSwitcher({
      manager: opened,
      open: (source) => open(source.host),
      account: () => ({ user: 'replicator', password: new Secret('of the simulation') }),
      limits: { maxLag: 3000, maxTransaction: 5000, drainTimeout: 1000, maxHold: 8000 },
      others,
      update: async () => undefined,
      timing,
      log,
      grants: () => '',
      eventsGrant: '',
      now,
      crash,
    })
    failOverByItself({ manager: opened, start: switcher.start, timing, log })
  }

  return {
    host,
    /** Undefined while its process is not there, or not ready yet. */
    running: () => (process && manager && switcher ? { process, manager, switcher } : undefined),
    start: (): void => {
      if (process) return
      process = newProcess(`manager of ${host}`)
      time.as(process, boot)
    },
    /** Its system closes its connections, as far as the links bear that. */
    kill: (how: { readonly isTold: boolean } = { isTold: true }): void => {
      if (!process) return
      process.isAlive = false
      process = null
      manager = null
      switcher = null
      for (const it of sessions.splice(0)) {
        if (it.isClosed || !how.isTold) continue
        for (const { name } of sourcesOf(map))
          network.send(host, name, () => server(name).onceRunning(() => server(name).drop(it)))
      }
    },
    pause: (): void => {
      if (process) process.isPaused = true
    },
    resume: (): void => {
      if (process?.isPaused) time.resume(process)
    },
    fillDisk: (is: boolean): void => {
      disks.state.fill(is)
      disks.runs.fill(is)
    },
    /** GTIDs that it recorded as those that other servers have of its own, which is a MySQL. */
    kept: (): GtidSet => {
      const source = sourcesOf(map).find((it) => it.name === host)
      const run = source && openLastRuns(disks.runs.file).of(source)
      return readMysqlGtids(run?.kept ?? '') ?? noGtids
    },
    clockError: () => clockError,
    setClock: (milliseconds: number): void => {
      clockError = milliseconds
    },
  }
}
