import type { Clock } from './clock.ts'
import { blocksThisHost } from './refusal.ts'
import { leastBusy, type MapInEffect, type Route, type RoutedRole, routeOf } from './routing.ts'

/** A client's connection to a database, from its beginning on. */
export type Link = { cut(): void }

/** A data source as connections in one role go to it. */
export type Target = {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly links: ReadonlySet<Link>
}

export type Targets = {
  /** Routes new connections by another map; existing ones to what may not be used any more drain, or are cut. */
  setMap(map: MapInEffect): void
  /** The target for the next connection, but for those that were tried in vain. */
  choose(role: RoutedRole, tried: readonly Target[]): Target | undefined
  /** Returns why no connection can be routed; null if one can. */
  problem(role: RoutedRole): string | null
  /** Notes that a target turns this host away, or that it does no more. */
  setBlocked(target: Target, isBlocked: boolean): void
  /** Returns false for a target that is not used any more. */
  isUsable(target: Target): boolean
  open(target: Target, link: Link): void
  /** Counts a connection that came about. */
  created(target: Target): void
  closed(target: Target, link: Link): void
  active(): number
  /** Connections by data source of the service. */
  counts(): ReadonlyMap<string, { readonly active: number; readonly created: number }>
  /** Names of the data sources that turn this host away. */
  blocked(): readonly string[]
  cutAll(): void
}

type OwnTarget = {
  readonly key: string
  readonly role: RoutedRole
  readonly name: string
  readonly host: string
  readonly port: number
  readonly links: Set<Link>
  active: number
  chosen: number
  isBlocked: boolean
  /** Set while its connections may only end. */
  cancelCut: (() => void) | undefined
}

const roles = ['primary', 'replica'] as const
const none: Route = { usable: [], problem: 'there is no services map yet' }

/** Keeps the targets of one service and the connections to each. Times in milliseconds. */
export function createTargets(options: {
  readonly service: string
  /** Grace period for connections to a data source that may not be used any more. */
  readonly drainTimeout: number
  readonly clock: Clock
}): Targets {
  const { service, drainTimeout, clock } = options
  const targets = new Map<string, OwnTarget>()
  const usable: Record<RoutedRole, OwnTarget[]> = { primary: [], replica: [] }
  const routes: Record<RoutedRole, Route> = { primary: none, replica: none }
  const created = new Map<string, number>()
  let choices = 0
  let active = 0

  const own = (target: Target): OwnTarget => target as OwnTarget

  function targetOf(role: RoutedRole, place: { name: string; host: string; port: number }): OwnTarget {
    const { name, host, port } = place
    const key = `${role} ${name} ${host} ${port}`
    const target: OwnTarget = targets.get(key) ?? {
      key,
      role,
      name,
      host,
      port,
      links: new Set<Link>(),
      active: 0,
      chosen: 0,
      isBlocked: false,
      cancelCut: undefined,
    }
    targets.set(key, target)
    return target
  }

  const cut = (target: OwnTarget): void => {
    for (const link of [...target.links]) link.cut()
  }

  function remove(target: OwnTarget): void {
    target.cancelCut?.()
    targets.delete(target.key)
  }

  function drainOrCut(target: OwnTarget, isFailed: boolean): void {
    if (target.links.size === 0) {
      remove(target)
    } else if (isFailed) {
      // Nobody answers there: clients would wait for as long as their own limits are.
      cut(target)
    } else {
      target.cancelCut ??= clock.after(drainTimeout, () => cut(target))
    }
  }

  return {
    setMap: (map) => {
      for (const role of roles) {
        const route = routeOf({ map, service, role })
        routes[role] = route
        usable[role] = route.usable.map((it) => targetOf(role, it))
        for (const target of usable[role]) {
          target.cancelCut?.()
          target.cancelCut = undefined
        }
      }
      const sources = map.services.find(({ name }) => name === service)?.datasources ?? []
      for (const target of targets.values()) {
        if (usable[target.role].includes(target)) continue
        const source = sources.find(
          ({ name, host, port }) => name === target.name && host === target.host && port === target.port,
        )
        drainOrCut(target, source?.state === 'FAILED')
      }
      const kept = new Set([...sources, ...targets.values()].map(({ name }) => name))
      for (const name of created.keys()) if (!kept.has(name)) created.delete(name)
    },
    choose: (role, tried) => {
      const candidates = tried.length === 0 ? usable[role] : usable[role].filter((it) => !tried.includes(it))
      const target = leastBusy(candidates.filter((it) => !it.isBlocked)) ?? leastBusy(candidates)
      if (!target) return undefined
      choices += 1
      target.chosen = choices
      return target
    },
    problem: (role) => {
      const isBlocked = usable[role].length > 0 && usable[role].every((it) => it.isBlocked)
      return isBlocked
        ? usable[role].map(({ name }) => `${name} ${blocksThisHost}`).join('; ')
        : routes[role].problem
    },
    setBlocked: (target, isBlocked) => {
      own(target).isBlocked = isBlocked
    },
    isUsable: (target) => roles.some((role) => usable[role].includes(own(target))),
    open: (target, link) => {
      const it = own(target)
      it.links.add(link)
      it.active += 1
      active += 1
    },
    created: ({ name }) => void created.set(name, (created.get(name) ?? 0) + 1),
    closed: (target, link) => {
      const it = own(target)
      if (!it.links.delete(link)) return
      it.active -= 1
      active -= 1
      if (it.active === 0 && it.cancelCut) remove(it)
    },
    active: () => active,
    counts: () => {
      const counts = new Map([...created].map(([name, count]) => [name, { active: 0, created: count }]))
      for (const { name, active: here } of targets.values()) {
        const so = counts.get(name) ?? { active: 0, created: 0 }
        counts.set(name, { ...so, active: so.active + here })
      }
      return counts
    },
    blocked: () => {
      const names = [...targets.values()].filter((it) => it.isBlocked).map(({ name }) => name)
      return [...new Set(names)]
    },
    cutAll: () => {
      for (const target of targets.values()) cut(target)
    },
  }
}
