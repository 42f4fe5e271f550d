import { ProblemError } from '../../api/problemError.ts'
import type { OutsideChange } from '../../contracts/choices.ts'
import type { Routing, Writer } from '../../contracts/routing.ts'
import type { DataSourceState, ServicesMap } from '../../contracts/servicesMap.ts'
import {
  assessService,
  assumeService,
  type MemberAssessment,
  type ServiceAssessment,
} from './assessService.ts'
import type { Finding, Observation } from './checkResult.ts'
import { addressOf, type DataSource, type DataSourceKey, keyOf, serverOf, sourcesOf } from './dataSources.ts'
import { createDataSourceTable, type DataSourceTable, type DataSourceView } from './dataSourceTable.ts'
import { decideState } from './decideState.ts'
import { type Incumbent, named, unconfirmed } from './decideWriter.ts'
import { createHealthTable, type Health } from './health.ts'
import { mappedPrimary, type StateStore } from './managerState.ts'
import type { Check, Monitor } from './monitor.ts'
import type { Member } from './replicationGraph.ts'

/** Log of a manager. */
export type ManagerLog = Readonly<Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>>

/** Result of a check that was asked for. */
export type AskedCheck = { readonly observation: Observation; readonly finding: Finding }

/** Manager of one host: keeps the states of data sources, checks them and acts on the results. */
export type Manager = Omit<DataSourceTable, 'writer' | 'setWriter'> & {
  /** True if it checks its data sources. */
  readonly isMonitoring: boolean
  health(source: DataSource): Health
  /** Returns what the checks of the service say of a data source. Throws a `not-found` problem. */
  assessment(key: DataSourceKey): MemberAssessment
  /** Throws a `not-found` problem. */
  writer(service: string): Writer
  /** State as it is shown: ONLINE is a promise that checks keep. */
  shownState(view: DataSourceView): DataSourceState
  /** The services as connectors route by them. */
  routing(): Routing
  /** Calls the listener with each change of the routing, after it; returns the way to stop that. */
  onRoutingChange(listener: () => void): () => void
  /** A check that begins now. Undefined where none is made: nobody monitors, or the data source went meanwhile. Throws a `not-found` problem. */
  check(key: DataSourceKey): Promise<AskedCheck | undefined>
  /** Returns why it cannot do its work; empty if it can. A failed data source is no such reason. */
  notReadyReasons(): readonly string[]
  /** Number of failed writes of the state. */
  writeFailures(): number
  /** Ends its checks. */
  close(): void
}

/** Changes that are worth a line of the log; numbers within a reason are not. */
const lineOf = (code: string | null | undefined, reason: string | null | undefined): string | null =>
  code ?? reason ?? null

/** Manages the data sources of a map. `monitor` creates their monitor; without it nothing is checked. */
export function createManager(options: {
  readonly installed: ServicesMap
  readonly kept: StateStore
  readonly monitor: ((seen: (check: Check) => void) => Monitor) | undefined
  readonly now: () => Date
  readonly log: ManagerLog
  readonly onOutsideChange?: OutsideChange
  /** Milliseconds that a replica may be behind and still takes reads; null for any number. */
  readonly maxReplicaLag?: number | null
}): Manager {
  const { installed, kept, now, log, onOutsideChange = 'follow', maxReplicaLag = null } = options
  const table = createDataSourceTable({ installed, kept, now })
  const health = createHealthTable()
  const monitor = options.monitor?.(seen)
  const sources = (): readonly DataSource[] => sourcesOf(table.map())
  const incumbents = new Map<string, Incumbent>()
  const assessments = new Map<string, ServiceAssessment>()
  const listeners = new Set<() => void>()
  let published = ''

  function memberOf(view: DataSourceView): Member {
    const { observation, known, unreached } = health.of(view)
    const { name, host, port, role, state } = view
    return {
      name,
      host,
      port,
      role,
      state,
      look: observation ?? { kind: 'unread' },
      known,
      failures: unreached,
    }
  }

  function assess(service: string, incumbent: Incumbent, change: OutsideChange): ServiceAssessment {
    const members = table.views(service).map(memberOf)
    if (!monitor) return assumeService({ service, members, incumbent })
    const policy = table.policy(service)
    return assessService({ service, members, incumbent, policy, onOutsideChange: change, maxReplicaLag })
  }

  /** Records another writer, and the fence that it needs. Returns false where that cannot be written. */
  function takeWriter(service: string, name: string, fence: string | null): boolean {
    const before = incumbents.get(service)?.name ?? null
    const facts = { service, from: before, to: name, fenced: fence }
    try {
      const reason = `It can be written and follows nobody, but the others follow ${name}.`
      table.setWriter(service, name, fence === null ? null : { name: fence, reason })
      if (fence !== null) health.resetStreak(table.view({ service, name: fence }))
      log.warn(facts, 'follows a primary that somebody changed by other means')
      return true
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      // The next check comes to the same end.
      log.error({ ...facts, problem: error.message }, 'the writer of a service stays as it is')
      return false
    }
  }

  function assessAndRecord(service: string): ServiceAssessment {
    const incumbent = incumbents.get(service) ?? firstIncumbent(service)
    const found = assess(service, incumbent, onOutsideChange)
    const { name } = found.incumbent
    if (name === null || name === incumbent.name) return found
    if (!takeWriter(service, name, found.fence)) return assess(service, incumbent, 'hold')
    return found.fence === null ? found : assess(service, found.incumbent, onOutsideChange)
  }

  /** Looks at a service as a whole again, after anything of it changed. */
  function reassess(service: string): void {
    const before = assessments.get(service)
    const after = assessAndRecord(service)
    incumbents.set(service, after.incumbent)
    assessments.set(service, after)
    for (const [datasource, { finding }] of after.members) {
      const earlier = before?.members.get(datasource)?.finding
      if (lineOf(earlier?.code, earlier?.reason) === lineOf(finding?.code, finding?.reason)) continue
      const { code = null, reason = null } = finding ?? {}
      log.info(
        { service, datasource, code, reason },
        reason === null ? 'all is well again' : 'a check found something',
      )
    }
    const { writer } = after
    if (before && before.writer.datasource !== writer.datasource)
      log.info({ service, ...writer }, 'the writer of a service changed')
  }

  function firstIncumbent(service: string): Incumbent {
    const name = table.writer(service)
    const absent = table.views(service).filter((it) => it.state === 'FAILED' && it.name !== name)
    return unconfirmed(
      name,
      absent.map((it) => it.name),
    )
  }

  /** Of a service of the map: each is assessed from its first moment there. */
  const assessed = (service: string): ServiceAssessment =>
    assessments.get(service) ?? assess(service, firstIncumbent(service), 'hold')

  const assessmentOf = ({ service, name, role }: DataSource): MemberAssessment =>
    assessed(service).members.get(name) ?? { role, finding: null, isLate: false }

  const findingOf = (source: DataSource): Finding | null => assessmentOf(source).finding

  const shownState = (view: DataSourceView): DataSourceState =>
    view.state === 'ONLINE' && (!monitor || findingOf(view)?.result === 'unable') ? 'UNKNOWN' : view.state

  const routing = (): Routing => ({
    services: table.map().services.map(({ name: service }) => ({
      name: service,
      writer: assessed(service).writer,
      datasources: table.views(service).map((view) => {
        const { name, host, port } = view
        const { role, isLate } = assessmentOf(view)
        const state = shownState(view)
        const readable = role === 'replica' && !isLate && (state === 'ONLINE' || state === 'UNKNOWN')
        return { name, host, port, role, state, readable }
      }),
    })),
  })

  /** Tells of the routing where it changed. */
  function publish(): void {
    const text = JSON.stringify(routing())
    if (text === published) return
    published = text
    for (const listener of listeners) listener()
  }

  /** Applies the policy after a regular check. */
  function applyPolicy(source: DataSource): void {
    const { state, service, name } = table.view(source)
    const policy = table.policy(service)
    const { streak } = health.of(source)
    const next = decideState({ state, policy, streak })
    if (next === undefined) return
    const reason = next === 'FAILED' ? (findingOf(source)?.reason ?? null) : null
    const facts = { service, datasource: name, from: state, to: next, policy, reason }
    try {
      putState([source], { state: next, by: 'manager', reason })
      if (next === 'FAILED') log.warn(facts, 'fenced a data source')
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
    for (const source of checked) health.record({ source, observation, at })
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
    for (const kind of [incumbents, assessments]) {
      for (const service of kind.keys()) if (!present.has(service)) kind.delete(service)
    }
    for (const service of present) reassess(service)
  }

  /** Changes the map; a primary that it names anew is the writer by the word of a person. */
  function changeMap(change: () => boolean): boolean {
    const before = table.map()
    const changed = change()
    if (!changed) return false
    for (const { name: service } of table.map().services) {
      const writer = table.writer(service)
      const isSame = mappedPrimary(before, service) === mappedPrimary(table.map(), service)
      if (!isSame) incumbents.set(service, named(writer))
      // The writer itself may have left the map.
      else if (incumbents.get(service)?.name !== writer) incumbents.set(service, unconfirmed(writer, []))
    }
    followMap()
    publish()
    return true
  }

  followMap()
  published = JSON.stringify(routing())
  return {
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
    resetMap: (by) => changeMap(() => table.resetMap(by)),
    isMonitoring: monitor !== undefined,
    health: health.of,
    assessment: (key) => assessmentOf(table.view(key)),
    writer: (service) => {
      table.views(service)
      return assessed(service).writer
    },
    shownState,
    routing,
    onRoutingChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    check: async (key) => {
      const asked = addressOf(table.view(key))
      const observation = await monitor?.check(table.view(key))
      const source = sources().find((it) => addressOf(it) === asked)
      if (!observation || !source) return undefined
      health.record({ source, observation, at: now() })
      reassess(source.service)
      publish()
      const finding = findingOf(source)
      if (finding === null) throw new Error(`${keyOf(source)} was checked without a finding`)
      return { observation, finding }
    },
    notReadyReasons: () => {
      const problem = kept.problem()
      const findings = monitor ? sources().map(findingOf) : []
      const [first] = findings
      const isBlind = first != null && findings.every((it) => it?.result === 'unable')
      return [problem ?? [], isBlind ? `no data source can be checked: ${first.reason}` : []].flat()
    },
    writeFailures: kept.writeFailures,
    close: () => monitor?.close(),
  }
}
