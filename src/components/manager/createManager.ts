import { ProblemError } from '../../api/problemError.ts'
import type { OutsideChange } from '../../contracts/choices.ts'
import type { ReleasePayload } from '../../contracts/managerPayloads.ts'
import type { Routing, Writer } from '../../contracts/routing.ts'
import type { DataSourceRole, DataSourceState, ServicesMap } from '../../contracts/servicesMap.ts'
import { type Clock, realClock } from '../clock.ts'
import { replaceMap } from '../editMap.ts'
import type { MemberAssessment } from './assessService.ts'
import type { Finding, Observation } from './checkResult.ts'
import { addressOf, type DataSource, type DataSourceKey, keyOf, serverOf, sourcesOf } from './dataSources.ts'
import { createDataSourceTable, type DataSourceTable, type DataSourceView } from './dataSourceTable.ts'
import type { FailoverDecision } from './decideFailover.ts'
import { decideState, rules } from './decideState.ts'
import { createHealthTable, type Health } from './health.ts'
import { type ManagerState, mappedPrimary, type StateStore } from './managerState.ts'
import type { Check, Monitor } from './monitor.ts'
import { isPrimary } from './replicationGraph.ts'
import {
  createServiceAssessments,
  type ManagerLog,
  type OwnServers,
  type ServiceAssessments,
} from './serviceAssessments.ts'
import { createSwitchHolds, type Hold, type HoldOrder } from './switchHolds.ts'
import { type Answer, createTakenOfflineTable } from './takenOffline.ts'

/** Result of a check that was asked for. */
type AskedCheck = { readonly observation: Observation; readonly finding: Finding }

/** Manager of one host: keeps the states of data sources, checks them and acts on the results. */
export type Manager = Omit<DataSourceTable, 'writer' | 'setWriter' | 'holdRecord' | 'setHold'> & {
  /** True if it checks its data sources. */
  readonly isMonitoring: boolean
  health(source: DataSource): Health
  /** Returns what the checks of the service say of a data source. Throws a `not-found` problem. */
  assessment(key: DataSourceKey): MemberAssessment
  /** Throws a `not-found` problem. */
  writer(service: string): Writer
  /** Returns the name of the writer that it remembers, also while nobody can be written; null for none. */
  knownWriter(service: string): string | null
  /** State as it is shown: ONLINE is a promise that checks keep. */
  shownState(view: DataSourceView): DataSourceState
  /** The services as connectors route by them. */
  routing(): Routing
  /** Calls the listener with each change of the routing, after it; returns the way to stop that. */
  onRoutingChange(listener: () => void): () => void
  /** Calls the listener whenever anything that is shown may have changed, after it; returns the way to stop that. */
  onUpdate(listener: () => void): () => void
  /** A check that begins now. Undefined where none is made: nobody monitors, or the data source went meanwhile. Throws a `not-found` problem. */
  check(key: DataSourceKey): Promise<AskedCheck | undefined>
  /** Returns what this manager has to do about the server of its own host, and which that is; undefined for nothing. */
  ownOrder(service: string): ReturnType<ServiceAssessments['ownOrder']>
  /** Records that it has that server killed; returns false where that is not on disk. */
  noteCrash(service: string): boolean
  /** Lets the clients of a service wait for a switch; the same switch renews that. Returns true if that changed anything. Throws problems. */
  hold(order: HoldOrder): boolean
  /** Returns what the managers do by themselves once the primary of a service is lost. */
  failover(service: string): FailoverDecision & {
    /** Why the last attempt of this manager changed nothing; null for none. */
    readonly problem: string | null
  }
  /** Records why an attempt to replace a lost primary changed nothing; null where it began. */
  noteFailover(service: string, problem: string | null): void
  /** Returns the data source of a service on this host, if this manager may change its server; undefined for none. */
  ownSource(service: string): DataSource | undefined
  /**
   * Ends the hold of a switch, once the servers were checked. `primary` is the one that the map names from then on; null for
   * none. Resolves to false where there is no such hold. Rejects with problems.
   */
  release(order: ReleaseOrder): Promise<boolean>
  /** Returns the hold of a service, also one whose time ran out. Throws a `not-found` problem. */
  holdOf(service: string): Hold | undefined
  /** Returns what is on disk; the same object until it changes. */
  saved(): ManagerState
  /** Makes an earlier state the one in effect again. Throws a `not-ready` problem, and then nothing changed. */
  restore(state: ManagerState): void
  /** Returns why it cannot do its work; empty if it can. A failed data source is no such reason. */
  notReadyReasons(): readonly string[]
  /** Number of failed writes of the state. */
  writeFailures(): number
  /** Ends its checks. */
  close(): void
}

/** Order to end the hold of a switch. */
type ReleaseOrder = ReleasePayload & {
  readonly service: string
  /** True where this manager has seen itself what it says; else the servers have to show it. */
  readonly isOwn: boolean
}

/** Returns the map with another primary of a service; the former one is a replica. */
const withPrimary = ({ services }: ServicesMap, service: string, primary: string): ServicesMap => ({
  services: services.map((it) => {
    if (it.name !== service) return it
    const roleOf = (name: string, role: DataSourceRole): DataSourceRole => {
      if (name === primary) return 'primary'
      return role === 'primary' ? 'replica' : role
    }
    return { ...it, datasources: it.datasources.map((one) => ({ ...one, role: roleOf(one.name, one.role) })) }
  }),
})

/** Manages the data sources of a map. `monitor` creates their monitor; without it nothing is checked. */
export function createManager(options: {
  readonly installed: ServicesMap
  readonly kept: StateStore
  readonly monitor: ((seen: (check: Check) => void) => Monitor) | undefined
  readonly now: () => Date
  readonly after?: Clock['after']
  readonly elapsed?: Clock['elapsed']
  readonly log: ManagerLog
  /** Asks the replicator of a data source's host who took its replication offline. Never rejects. */
  readonly askReplicator?: (source: DataSourceKey) => Promise<Answer>
  /** Returns true for the data source of this host. */
  readonly isOwn?: (source: DataSourceKey) => boolean
  readonly onOutsideChange?: OutsideChange
  /** Milliseconds that a replica may be behind and still takes reads; null for any number. */
  readonly maxReplicaLag?: number | null
  /** Data sources on its own host, where it may change their servers. */
  readonly own?: OwnServers | undefined
}): Manager {
  const { installed, kept, now, log, onOutsideChange = 'follow', maxReplicaLag = null, own } = options
  const { elapsed = realClock.elapsed } = options
  const table = createDataSourceTable({ installed, kept, now })
  const health = createHealthTable()
  const monitor = options.monitor?.(seen)
  const sources = (): readonly DataSource[] => sourcesOf(table.map())
  const listeners = new Set<() => void>()
  const updateListeners = new Set<() => void>()
  let published = ''
  const failoverProblems = new Map<string, string | null>()
  const holds = createSwitchHolds({
    table,
    now,
    after: options.after ?? realClock.after,
    // Nobody is the writer by the word of a check from before.
    beforeExpiry: (service) => checkAll(service),
    onExpired,
  })
  const takenOffline = createTakenOfflineTable({
    ask: options.askReplicator ?? (async () => null),
    isOwn: options.isOwn ?? (() => false),
    now: () => now().getTime(),
    onChange: (service) => {
      if (!table.map().services.some((it) => it.name === service)) return
      reassess(service)
      publish()
    },
  })
  const assessments = createServiceAssessments({
    table,
    health,
    holds,
    takenOffline,
    isMonitoring: monitor !== undefined,
    onOutsideChange,
    maxReplicaLag,
    own,
    log,
  })
  const { reassess, findingOf } = assessments

  const shownState = (view: DataSourceView): DataSourceState =>
    view.state === 'ONLINE' && (!monitor || findingOf(view)?.result === 'unable') ? 'UNKNOWN' : view.state

  const routing = (): Routing => ({
    services: table.map().services.map(({ name: service }) => ({
      name: service,
      writer: assessments.of(service).writer,
      datasources: table.views(service).map((view) => {
        const { name, host, port } = view
        const { role, isLate } = assessments.ofMember(view)
        const state = shownState(view)
        const readable = role === 'replica' && !isLate && (state === 'ONLINE' || state === 'UNKNOWN')
        const proxyNetworks = health.of(view).known?.proxyNetworks
        return { name, host, port, role, state, readable, ...(proxyNetworks && { proxyNetworks }) }
      }),
    })),
  })

  /** Tells of the routing where it changed, and that anything may have changed. */
  function publish(): void {
    const text = JSON.stringify(routing())
    if (text !== published) {
      published = text
      for (const listener of listeners) listener()
    }
    for (const listener of updateListeners) listener()
  }

  /** Applies the policy after a regular check. */
  function applyPolicy(source: DataSource): void {
    const { state, service, name, reason: recorded } = table.view(source)
    const policy = table.policy(service)
    const { streak, unreached } = health.of(source)
    const finding = findingOf(source)
    const known = takenOffline.of(source)
    const next = decideState({
      state,
      policy,
      streak,
      // Of another failure than that, it says nothing.
      takenOffline: known && state !== 'OFFLINE' ? finding?.takenOffline : known,
      // A call for the data source gives no reason.
      followsReplication: recorded !== null,
    })
    if (next === undefined) return
    // A switch stops replication and makes servers read-only.
    if (next !== 'ONLINE' && unreached < rules.fence && holds.of(service)?.isInForce) return
    const reason = next === 'ONLINE' ? null : (finding?.reason ?? null)
    const by = next === 'OFFLINE' ? (finding?.takenOffline?.by ?? 'manager') : 'manager'
    const facts = { service, datasource: name, from: state, to: next, policy, reason }
    try {
      putState([source], { state: next, by, reason })
      if (next === 'FAILED') log.warn(facts, 'fenced a data source')
      else if (next === 'OFFLINE')
        log.info({ ...facts, by }, 'took a data source offline, as its replication is')
      else log.info(facts, 'took a data source back')
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      // The next check comes to the same end.
      log.error({ ...facts, problem: error.message }, 'a data source stays as it is')
    }
  }

  const servicesOf = (keys: readonly DataSourceKey[]): ReadonlySet<string> =>
    new Set(keys.map(({ service }) => service))

  function seen({ server, observation, milliseconds }: Check): void {
    const at = now()
    const checked = sources().filter((it) => serverOf(it) === serverOf(server))
    for (const source of checked) {
      health.record({ source, observation, at, elapsed: elapsed() })
      takenOffline.look(source, observation)
    }
    for (const service of servicesOf(checked)) reassess(service)
    for (const source of checked) {
      const result = findingOf(source)?.result
      if (result === undefined) continue
      health.count(source, { result, milliseconds })
      applyPolicy(source)
    }
    publish()
  }

  function putState(...[keys, to]: Parameters<DataSourceTable['setState']>): readonly DataSource[] {
    const brought = table.setState(keys, to)
    for (const it of brought) health.resetStreak(it)
    for (const service of servicesOf(brought)) reassess(service)
    return brought
  }

  function followMap(): void {
    health.retain(table.map())
    monitor?.follow(sources())
    const present = new Set(table.map().services.map(({ name }) => name))
    assessments.retain(present)
    for (const service of present) reassess(service)
  }

  async function check(key: DataSourceKey): Promise<AskedCheck | undefined> {
    const asked = addressOf(table.view(key))
    const observation = await monitor?.check(table.view(key))
    const source = sources().find((it) => addressOf(it) === asked)
    if (!observation || !source) return undefined
    health.record({ source, observation, at: now(), elapsed: elapsed() })
    takenOffline.look(source, observation)
    reassess(source.service)
    publish()
    const finding = findingOf(source)
    if (finding === null) throw new Error(`${keyOf(source)} was checked without a finding`)
    return { observation, finding }
  }

  /** Checks data sources of a service now, as far as they are in the map. */
  const checkAll = (service: string, which: (source: DataSource) => boolean = () => true): Promise<unknown> =>
    Promise.allSettled(sources().flatMap((it) => (it.service === service && which(it) ? [check(it)] : [])))

  /** Failures of a switch are none of what comes after it. */
  function resetStreaks(service: string): void {
    for (const it of sources()) if (it.service === service) health.resetStreak(it)
  }

  function onExpired({ service, id, from, to, step }: Hold): void {
    log.warn({ service, id, from, to, step }, 'the hold of a switch ran out before it ended')
    resetStreaks(service)
    assessments.doubt(service, from)
    reassess(service)
    publish()
  }

  /** Makes a data source the primary of the map and the writer, as a person's word does. */
  function namePrimary(service: string, primary: string, by: string): void {
    const name = (map: ServicesMap) => replaceMap(map, withPrimary(map, service, primary))
    changeMap(() => table.editMap(by, name))
    if (table.writer(service) !== primary) table.setWriter(service, primary, null)
    assessments.name(service, primary)
  }

  /** Takes the primary of a switch back that failed meanwhile: whoever made the switch has seen that it works. */
  function takeBack(view: DataSourceView): void {
    const { known } = health.of(view)
    if (view.state !== 'FAILED' || view.by !== 'manager' || known === null || !isPrimary(known)) return
    putState([view], { state: 'ONLINE', by: 'manager' })
  }

  async function release({ service, id, primary, isOwn }: ReleaseOrder): Promise<boolean> {
    const hold = holds.releasable(service, id)
    if (!hold) return false
    const { from, to, by } = hold
    if (primary !== null && primary !== from && primary !== to) {
      const detail = `The switch ${id} is from ${from} to ${to}; it does not make ${primary} the primary.`
      throw new ProblemError({ code: 'wrong-state', detail })
    }
    if (primary === to && isOwn) namePrimary(service, to, by)
    // Clients wait for the two that matter, not for one that does not answer.
    const isAwaited = ({ name }: DataSource): boolean =>
      name === to || (name === from && (hold.operation === 'switch' || primary !== to))
    const rest = checkAll(service, (it) => !isAwaited(it))
    await checkAll(service, isAwaited)
    if (primary === to && !isOwn) {
      if (!assessments.shows(service, hold)) await rest
      if (holds.of(service)?.id !== id) return true
      if (!assessments.shows(service, hold)) {
        // A host that was cut off hears of a failover once that is over, and would wait for what is no more.
        if (hold.operation === 'failover') holds.expire(service)
        const detail = `By what the manager of this host reads, ${to} is not the primary of ${service} yet.`
        throw new ProblemError({ code: 'wrong-state', detail })
      }
      namePrimary(service, to, by)
    }
    if (holds.of(service)?.id !== id) return true
    resetStreaks(service)
    if (primary !== null) takeBack(table.view({ service, name: primary }))
    holds.end(service)
    reassess(service)
    publish()
    return true
  }

  /** Changes the map; a primary that it names anew is the writer by the word of a person. */
  function changeMap(change: () => boolean): boolean {
    const before = table.map()
    const changed = change()
    if (!changed) return false
    for (const { name: service } of table.map().services) {
      const writer = table.writer(service)
      const isSame = mappedPrimary(before, service) === mappedPrimary(table.map(), service)
      if (!isSame) assessments.name(service, writer)
      // The writer itself may have left the map.
      else if (assessments.incumbent(service)?.name !== writer) assessments.forget(service)
    }
    followMap()
    publish()
    return true
  }

  const knownWriter = (service: string): string | null => assessments.incumbent(service)?.name ?? null

  followMap()
  published = JSON.stringify(routing())
  return {
    installed,
    map: table.map,
    policy: table.policy,
    view: table.view,
    views: table.views,
    setState: (keys, to) => {
      const brought = putState(keys, to)
      publish()
      return brought
    },
    setPolicy: (service, policy) => {
      const changed = table.setPolicy(service, policy)
      if (changed) reassess(service)
      publish()
      return changed
    },
    editMap: (by, edit) => changeMap(() => table.editMap(by, edit)),
    isMonitoring: monitor !== undefined,
    health: health.of,
    assessment: (key) => assessments.ofMember(table.view(key)),
    writer: (service) => {
      table.views(service)
      return assessments.of(service).writer
    },
    knownWriter,
    shownState,
    routing,
    ownOrder: assessments.ownOrder,
    noteCrash: assessments.noteCrash,
    ownSource: assessments.ownSource,
    failover: (service) => {
      const decision = assessments.failover(service)
      return { ...decision, problem: decision.lost === null ? null : (failoverProblems.get(service) ?? null) }
    },
    noteFailover: (service, problem) => {
      failoverProblems.set(service, problem)
      publish()
    },
    onRoutingChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onUpdate: (listener) => {
      updateListeners.add(listener)
      return () => void updateListeners.delete(listener)
    },
    check,
    hold: (order) => {
      const changed = holds.set(order, knownWriter(order.service))
      reassess(order.service)
      publish()
      return changed
    },
    release,
    holdOf: holds.of,
    saved: kept.state,
    restore: (state) => {
      changeMap(() => {
        kept.replace(state)
        return true
      })
    },
    notReadyReasons: () => {
      const problem = kept.problem()
      const findings = monitor ? sources().map(findingOf) : []
      const [first] = findings
      const isBlind = first != null && findings.every((it) => it?.result === 'unable')
      return [problem ?? [], isBlind ? `no data source can be checked: ${first.reason}` : []].flat()
    },
    writeFailures: kept.writeFailures,
    close: () => {
      holds.close()
      monitor?.close()
    },
  }
}
