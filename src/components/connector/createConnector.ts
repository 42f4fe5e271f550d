import type { AuditFacts } from '../../api/audit/auditEntry.ts'
import type { Caller } from '../../api/caller.ts'
import { ProblemError } from '../../api/problemError.ts'
import type { ConnectorMode, ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import { type EditedMap, replaceMap } from '../editMap.ts'
import { changedMode, type Mode, type StateStore } from './connectorState.ts'
import type { ProxyCounts, TcpProxy } from './proxy.ts'
import { type MapInEffect, mapOf, type RoutedRole, routingOf, unwatched } from './routing.ts'

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

/** Reason why the manager does not answer, and since when. */
type ManagerOutage = { readonly since: Date; readonly reason: string }

/** Caller of an operation, and the hook for its audit facts. */
type ConnectorCall = { readonly caller: Caller; readonly audit: (facts: AuditFacts) => void }

/**
 * The connector of one host. Its calls are done when they return and none waits for anything, so that those of
 * two callers never meet.
 */
export type Connector = {
  status(): ConnectorStatusPayload
  change(
    order: ConnectorCall & { readonly to: ConnectorMode; readonly immediate: boolean },
  ): ConnectorStatusPayload & { readonly changed: boolean }
  map(): MapInEffect
  /** Changes its own map; `follows-manager` where it has none. */
  changeMap(edit: (map: ServicesMap) => EditedMap): EditedMap & { readonly inEffect: MapInEffect }
  /** Its own map as it was installed. */
  reset(): EditedMap & { readonly inEffect: MapInEffect }
  /** Takes over the manager's map. */
  follow(map: MapInEffect): void
  /** Returns why it is not ready; undefined if it is. */
  notReadyReason(): string | undefined
  /** Returns why it is degraded; undefined if it is not. */
  degradedReason(): string | undefined
  counts(): ProxyCounts
}

const nameOf = (caller: Caller): string => (caller.kind === 'user' ? caller.user : caller.kind)

const followsManager = (): ProblemError =>
  new ProblemError({
    code: 'follows-manager',
    detail:
      'This connector follows the manager of its host and takes over its services map. Make the change there: the ' +
      'calls of the same names below manager/ do it.',
  })

/** Puts together what a connector keeps, what it forwards and whom it follows. Throws problems. */
export function createConnector(options: {
  readonly store: StateStore
  readonly proxy: TcpProxy
  /** The service that is forwarded to. */
  readonly service: string
  readonly roles: readonly RoutedRole[]
  readonly installed: ServicesMap
  /** State of the manager; absent where there is none to follow. */
  readonly manager?: () => ManagerOutage | undefined
  readonly isListening: () => boolean
  readonly now: () => Date
}): Connector {
  const { store, proxy, service, roles, installed, manager, isListening, now } = options
  const ownMap = (): ServicesMap => store.current().services ?? installed
  // The manager's word outlives the manager: what it said last, else what was installed.
  const lastKnown = manager ? store.current().lastKnown : null
  let inEffect: Routing = lastKnown ? routingOf(lastKnown) : unwatched(manager ? installed : ownMap())
  proxy.setRouting(inEffect)

  const lack = (): string | undefined => {
    const lost = manager?.()
    return lost
      ? `the manager does not answer since ${lost.since.toISOString()}, so the last known services map stays in ` +
          `effect (${lost.reason})`
      : undefined
  }

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

  function keepMap(edit: EditedMap, services: ServicesMap | null) {
    if (edit.changed) {
      store.change({ services })
      inEffect = unwatched(edit.map)
      proxy.setRouting(inEffect)
    }
    return { ...edit, inEffect: mapOf(inEffect) }
  }

  return {
    status,
    change: ({ to, immediate, caller, audit }) => {
      const { mode } = store.current()
      const next = changedMode(mode, { value: to, by: nameOf(caller), now: now() })
      audit({ before: mode.value, after: to })
      if (next !== mode) {
        store.change({ mode: next })
        proxy.setMode(next)
      }
      const hasCut = immediate && to === 'OFFLINE' && proxy.cut()
      return { ...status(), changed: next !== mode || hasCut }
    },
    map: () => mapOf(inEffect),
    changeMap: (edit) => {
      if (manager) throw followsManager()
      const edited = edit(ownMap())
      return keepMap(edited, edited.map)
    },
    reset: () => {
      if (manager) throw followsManager()
      return keepMap(replaceMap(ownMap(), installed), null)
    },
    follow: (map) => {
      inEffect = routingOf(map)
      proxy.setRouting(inEffect)
      store.change({ lastKnown: map })
    },
    notReadyReason: () => {
      if (!isListening()) return 'the connector does not listen for clients'
      const { value, since } = store.current().mode
      if (value === 'OFFLINE') return `the connector is OFFLINE since ${since}`
      return proxy.problem('primary') ?? undefined
    },
    degradedReason: lack,
    counts: () => proxy.counts(),
  }
}
