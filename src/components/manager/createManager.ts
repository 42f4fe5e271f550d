import { ProblemError } from '../../api/problemError.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import type { Observation } from './checkResult.ts'
import { addressOf, type DataSource, type DataSourceKey, serverOf, sourcesOf } from './dataSources.ts'
import { createDataSourceTable, type DataSourceTable } from './dataSourceTable.ts'
import { decideState } from './decideState.ts'
import { createHealthTable, type Health } from './health.ts'
import type { StateStore } from './managerState.ts'
import { mappedRouting } from './mappedRouting.ts'
import type { Check, Monitor } from './monitor.ts'

/** Log of a manager. */
export type ManagerLog = Readonly<Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>>

/** Manager of one host: keeps the states of data sources, checks them and acts on the results. */
export type Manager = DataSourceTable & {
  /** True if it checks its data sources. */
  readonly isMonitoring: boolean
  health(source: DataSource): Health
  /** A check that begins now. Undefined where none is made: nobody monitors, or the data source went meanwhile. Throws a `not-found` problem. */
  check(key: DataSourceKey): Promise<Observation | undefined>
  /** Returns why it cannot do its work; empty if it can. A failed data source is no such reason. */
  notReadyReasons(): readonly string[]
  /** Returns what connectors route by. */
  routing(): Routing
  /** Calls back with each change of it; returns what ends that. */
  onRoutingChange(listener: () => void): () => void
  /** Number of failed writes of the state. */
  writeFailures(): number
  /** Ends its checks. */
  close(): void
}

/** Manages the data sources of a map. `monitor` creates their monitor; without it nothing is checked. */
export function createManager(options: {
  readonly installed: ServicesMap
  readonly kept: StateStore
  readonly monitor: ((seen: (check: Check) => void) => Monitor) | undefined
  readonly now: () => Date
  readonly log: ManagerLog
}): Manager {
  const { installed, kept, now, log } = options
  const table = createDataSourceTable({ installed, kept, now })
  const health = createHealthTable()
  const monitor = options.monitor?.(seen)
  const sources = (): readonly DataSource[] => sourcesOf(table.map())

  /** Applies the policy after a regular check. */
  function applyPolicy(source: DataSource): void {
    const { state, service, name } = table.view(source)
    const policy = table.policy(service)
    const { streak, finding } = health.of(source)
    const next = decideState({ state, policy, streak })
    if (next === undefined) return
    const reason = next === 'FAILED' ? (finding?.reason ?? null) : null
    const facts = { service, datasource: name, from: state, to: next, policy, reason }
    try {
      setState([source], { state: next, by: 'manager', reason })
      if (next === 'FAILED') log.warn(facts, 'fenced a data source')
      else log.info(facts, 'took a data source back')
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      // The next check comes to the same end.
      log.error({ ...facts, problem: error.message }, 'a data source stays as it is')
    }
  }

  function seen({ server, observation, milliseconds }: Check): void {
    const at = now()
    for (const source of sources().filter((it) => serverOf(it) === serverOf(server))) {
      const before = health.of(source).finding?.reason ?? null
      const { reason } = health.record({ source, observation, at, milliseconds })
      const facts = { service: source.service, datasource: source.name, reason }
      if (reason !== before)
        log.info(facts, reason === null ? 'all is well again' : 'a check found something')
      applyPolicy(source)
    }
    tell()
  }

  const setState: DataSourceTable['setState'] = (keys, to) => {
    const brought = table.setState(keys, to)
    for (const it of brought) health.resetStreak(it)
    return brought
  }

  function followMap(): void {
    health.retain(table.map())
    monitor?.follow(sources())
  }

  const isChecked = (source: DataSource): boolean =>
    monitor !== undefined && health.of(source).finding?.result !== 'unable'
  const routing = (): Routing => mappedRouting(table, isChecked)
  const listeners = new Set<() => void>()
  let told = ''
  function tell(): void {
    const text = JSON.stringify(routing())
    if (text === told) return
    told = text
    for (const listener of listeners) listener()
  }

  followMap()
  told = JSON.stringify(routing())
  return {
    ...table,
    setState: (keys, to) => {
      const brought = setState(keys, to)
      tell()
      return brought
    },
    editMap: (by, edit) => {
      const changed = table.editMap(by, edit)
      if (changed) followMap()
      tell()
      return changed
    },
    resetMap: (by) => {
      const changed = table.resetMap(by)
      if (changed) followMap()
      tell()
      return changed
    },
    routing,
    onRoutingChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isMonitoring: monitor !== undefined,
    health: health.of,
    check: async (key) => {
      const asked = addressOf(table.view(key))
      const observation = await monitor?.check(table.view(key))
      const source = sources().find((it) => addressOf(it) === asked)
      if (!observation || !source) return undefined
      health.record({ source, observation, at: now() })
      return observation
    },
    notReadyReasons: () => {
      const problem = kept.problem()
      const findings = monitor ? sources().map((it) => health.of(it).finding) : []
      const [first] = findings
      const isBlind = first != null && findings.every((it) => it?.result === 'unable')
      return [problem ?? [], isBlind ? `no data source can be checked: ${first.reason}` : []].flat()
    },
    writeFailures: kept.writeFailures,
    close: () => monitor?.close(),
  }
}
