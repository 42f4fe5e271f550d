import type { AuditFacts } from '../../api/audit/auditEntry.ts'
import { type Caller, callerName } from '../../api/caller.ts'
import type { ConnectorMode, ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import { type EditedMap, replaceMap } from '../editMap.ts'
import { changedMode, type Mode, type StateStore } from './connectorState.ts'
import type { ManagerOutage } from './followManagers.ts'
import type { ProxyCounts, TcpProxy } from './proxy.ts'
import { noManager } from './refusal.ts'
import { type MapInEffect, mapOf, type RoutedRole, unwatched } from './routing.ts'

const later = (now: Date, milliseconds: number): string =>
  new Date(now.getTime() + milliseconds).toISOString()

/** Builds the status of the connector for the API. */
function statusOf(facts: {
  readonly mode: Mode
  readonly counts: ProxyCounts
  readonly map: MapInEffect
  /** The service that is forwarded to: all others have no connections. */
  readonly service: string
  /** Reasons why it does not forward or is degraded; nulls are skipped. */
  readonly problems: readonly (string | null)[]
  readonly now: Date
}): ConnectorStatusPayload {
  const { mode, counts, map, service, problems, now } = facts
  const { active, held, created, remaining, draining, byName } = counts
  const drain =
    draining === undefined
      ? null
      : `connections that are still open are cut at ${later(now, draining)} unless they end before`
  const reasons = [drain, ...problems].filter((it) => it !== null)
  return {
    value: mode.value,
    since: mode.since,
    by: mode.by,
    reason: reasons.length > 0 ? reasons.join('; ') : null,
    active,
    held,
    created,
    expiresAt: remaining === undefined ? null : later(now, remaining),
    datasources: map.services.flatMap(({ name, datasources }) =>
      datasources.map((it) => ({
        service: name,
        name: it.name,
        ...((name === service ? byName.get(it.name) : undefined) ?? { active: 0, created: 0 }),
      })),
    ),
  }
}

/** Caller of an operation, and the hook for its audit facts. */
type ConnectorCall = { readonly caller: Caller; readonly audit: (facts: AuditFacts) => void }

/** Result of a change of its own map. */
type KeptMap = EditedMap & { readonly inEffect: MapInEffect }

/**
 * The connector of one host. Its calls are done when they return and none waits for anything, so that those of
 * two callers never meet.
 */
export type Connector = {
  status(): ConnectorStatusPayload
  change(
    order: ConnectorCall & {
      readonly to: ConnectorMode
      readonly immediate: boolean
      /** True: only returns whether it would change anything. */
      readonly dry: boolean
    },
  ): ConnectorStatusPayload & { readonly changed: boolean }
  map(): MapInEffect
  /** Changes its own map, which is in effect where it follows no manager; `dry`: only tries it. */
  changeMap(edit: (map: ServicesMap) => EditedMap, dry: boolean): KeptMap
  /** Its own map as it was installed. */
  reset(dry: boolean): KeptMap
  routing(): Routing
  /** Takes over the managers' word. */
  follow(routing: Routing): void
  /** Takes new clients no more, or again, by whether the managers are lost for too long. */
  checkOutage(): void
  /** Returns why it is not ready; undefined if it is. */
  notReadyReason(): string | undefined
  /** Returns what it has to do without while it is ready; undefined if that is nothing. */
  degradedReason(): string | undefined
  /** Returns false while no manager answers, though there are some. */
  isCurrent(): boolean
  counts(): ProxyCounts
}

/** Returns the routing of an earlier process or of the installation: readers may go by it, writers wait. */
const awaitingWriter = ({ services }: Routing): Routing => ({
  services: services.map((service) => ({
    ...service,
    writer: {
      datasource: null,
      code: null,
      reason: 'no manager has answered since the connector started',
      hold: true,
    },
  })),
})

/** Puts together what a connector keeps, what it forwards and whom it follows. Throws problems. */
export function createConnector(options: {
  readonly store: StateStore
  readonly proxy: TcpProxy
  /** The service that is forwarded to. */
  readonly service: string
  readonly roles: readonly RoutedRole[]
  readonly installed: ServicesMap
  /** State of the managers; absent where there are none to follow. */
  readonly managers?: {
    readonly outage: () => ManagerOutage | undefined
    /** Milliseconds that their last word counts without them. */
    readonly timeout: number
  }
  readonly isListening: () => boolean
  readonly now: () => Date
}): Connector {
  const { store, proxy, service, roles, installed, managers, isListening, now } = options
  const ownMap = (): ServicesMap => store.current().services ?? installed
  // Who could be written before this process may be another one's replica by now: writers wait for a manager's word.
  let inEffect: Routing = managers
    ? awaitingWriter(store.current().lastKnown ?? unwatched(installed))
    : unwatched(ownMap())
  proxy.setRouting(inEffect)

  function lack(): string | undefined {
    const outage = managers?.outage()
    if (!outage) return undefined
    const then = outage.isLong
      ? 'new connections are refused'
      : `their last word stays in effect until ${later(outage.since, managers?.timeout ?? 0)}`
    return `no manager answers since ${outage.since.toISOString()}, so ${then} (${outage.reason})`
  }
  const isCutOff = (): boolean => managers?.outage()?.isLong ?? false

  const status = (): ConnectorStatusPayload =>
    statusOf({
      mode: store.current().mode,
      counts: proxy.counts(),
      map: mapOf(inEffect),
      service,
      problems: [
        ...new Set([...roles.map((role) => proxy.problem(role)), ...proxy.notes(roles)]),
        lack() ?? null,
      ],
      now: now(),
    })

  const triedMap = (edit: EditedMap): KeptMap => ({ ...edit, inEffect: mapOf(inEffect) })

  function keepMap(edit: EditedMap, services: ServicesMap | null): KeptMap {
    if (edit.changed) {
      store.change({ services })
      inEffect = unwatched(edit.map)
      proxy.setRouting(inEffect)
    }
    return triedMap(edit)
  }

  return {
    status,
    change: ({ to, immediate, caller, audit, dry }) => {
      const { mode } = store.current()
      const next = changedMode(mode, { value: to, by: callerName(caller), now: now() })
      if (dry)
        return {
          ...status(),
          changed: next !== mode || (immediate && to === 'OFFLINE' && proxy.counts().active > 0),
        }
      audit({ before: mode.value, after: to })
      if (next !== mode) {
        store.change({ mode: next })
        proxy.setMode(next)
      }
      const hasCut = immediate && to === 'OFFLINE' && proxy.cut()
      return { ...status(), changed: next !== mode || hasCut }
    },
    map: () => mapOf(inEffect),
    changeMap: (edit, dry) => {
      const edited = edit(ownMap())
      return dry ? triedMap(edited) : keepMap(edited, edited.map)
    },
    reset: (dry) => {
      const edited = replaceMap(ownMap(), installed)
      return dry ? triedMap(edited) : keepMap(edited, null)
    },
    routing: () => inEffect,
    follow: (routing) => {
      inEffect = routing
      proxy.setRouting(routing)
      store.change({ lastKnown: routing })
    },
    checkOutage: () => {
      const outage = managers?.outage()
      proxy.setClosed(outage?.isLong ? noManager(outage.since, managers?.timeout ?? 0) : undefined)
    },
    notReadyReason: () => {
      if (!isListening()) return 'the connector does not listen for clients'
      const { value, since } = store.current().mode
      if (value === 'OFFLINE') return `the connector is OFFLINE since ${since}`
      if (isCutOff()) return lack()
      return proxy.problem('primary') ?? undefined
    },
    degradedReason: () => (isCutOff() ? undefined : lack()),
    isCurrent: () => managers?.outage() === undefined,
    counts: () => proxy.counts(),
  }
}
