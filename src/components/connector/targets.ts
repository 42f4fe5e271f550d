import type { Routing } from '../../contracts/routing.ts'
import type { ProxyLimits } from '../../contracts/serverSettings.ts'
import type { Clock } from '../clock.ts'
import { blocksThisHost, greetedTooLate } from './refusal.ts'
import { leastBusy, type Route, type RoutedRole, routeOf } from './routing.ts'

/** A client's connection to a database, from its beginning on, and the port that the client came to. */
export type Link = { readonly role: RoutedRole; cut(): void }

/** A data source as connections go to it. */
export type Target = {
  readonly name: string
  readonly host: string
  readonly port: number
  /** Networks from which it takes the PROXY protocol; absent for none. */
  readonly proxyNetworks?: string
}

export type Targets = {
  /**
   * Routes new connections anew; existing ones to what may not be used any more drain, or are cut. Connections with
   * which a client could write to another server than the writer are cut at once.
   */
  setRouting(routing: Routing): void
  /** The target for the next connection, but for those that were tried in vain. */
  choose(role: RoutedRole, tried: readonly Target[]): Target | undefined
  /** Returns why no connection can be routed; null if one can. */
  problem(role: RoutedRole): string | null
  /** Returns why new clients of a port wait for a writer; null where they do not. */
  holdReason(role: RoutedRole): string | null
  /** Returns what these ports have to do without while connections can be routed. */
  notes(roles: readonly RoutedRole[]): readonly string[]
  /** Notes that a target turns this host away, or that it does no more. */
  setBlocked(target: Target, isBlocked: boolean): void
  /** Notes that a target accepts connections and does not greet, or that it does again. */
  setUnresponsive(target: Target, isUnresponsive: boolean): void
  /** Notes that a target is not told whose connections it gets, though it should be, or that it is. */
  setUntold(target: Target, isUntold: boolean): void
  /** Counts connections to a target that are left to wait for its greeting. */
  leaveBehind(target: Target, change: 1 | -1): void
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
  /** Names of the data sources that accept connections and do not greet. */
  unresponsive(): readonly string[]
  cutAll(): void
}

type OwnTarget = Target & {
  proxyNetworks: string
  readonly key: string
  readonly links: Set<Link>
  readonly linksOf: Record<RoutedRole, number>
  active: number
  chosen: number
  isBlocked: boolean
  isUnresponsive: boolean
  isUntold: boolean
  /** Connections that are left to wait for its greeting. */
  leftBehind: number
  /** True from when it was the writer until it is readable as another. */
  hasBeenWriter: boolean
  /** Set while the connections of a port may only end. */
  readonly cancelCut: Record<RoutedRole, (() => void) | undefined>
}

/**
 * Connections that wait for the greeting of one server at most before it gets no more: one that hangs accepts as many
 * as its backlog holds, and finds all of them when it goes on.
 */
export const mostLeftBehind = 16

/** Said of a server, where the option wants it to be told the addresses of clients. */
const takesNoHeader =
  'does not take the PROXY protocol from this host (proxy_protocol_networks), and sees clients at its address'

const roles = ['primary', 'replica'] as const
const none: Route = { usable: [], problem: 'there is no services map yet', isHeld: false, isFencing: false }

const isHealthy = ({ isBlocked, isUnresponsive }: OwnTarget): boolean => !isBlocked && !isUnresponsive

const mayBeDialled = ({ isUnresponsive, leftBehind }: OwnTarget): boolean =>
  !isUnresponsive || leftBehind < mostLeftBehind

/** Keeps the targets of one service and the connections to each. */
export function createTargets(
  options: Pick<ProxyLimits, 'service' | 'drainTimeout' | 'greetingTimeout' | 'readonlyFallback'> & {
    readonly clock: Clock
  },
): Targets {
  const { service, drainTimeout, greetingTimeout, readonlyFallback, clock } = options
  const targets = new Map<string, OwnTarget>()
  const usable: Record<RoutedRole, readonly OwnTarget[]> = { primary: [], replica: [] }
  const routes: Record<RoutedRole, Route> = { primary: none, replica: none }
  const created = new Map<string, number>()
  let choices = 0
  let active = 0

  const own = (target: Target): OwnTarget => target as OwnTarget
  const isListed = (target: OwnTarget): boolean => roles.some((role) => usable[role].includes(target))

  /** The writer in place of the readable data sources, where clients of a port may go there. */
  const reserve = (role: RoutedRole): readonly OwnTarget[] =>
    role === 'replica' && readonlyFallback ? usable.primary : []

  const shortcoming = ({ name, isBlocked }: OwnTarget): string =>
    `${name} ${isBlocked ? blocksThisHost : greetedTooLate(greetingTimeout)}`

  function targetOf({ name, host, port, proxyNetworks = '' }: Target): OwnTarget {
    const key = `${name} ${host} ${port}`
    const target: OwnTarget = targets.get(key) ?? {
      key,
      name,
      host,
      port,
      proxyNetworks,
      links: new Set<Link>(),
      linksOf: { primary: 0, replica: 0 },
      active: 0,
      chosen: 0,
      isBlocked: false,
      isUnresponsive: false,
      isUntold: false,
      leftBehind: 0,
      hasBeenWriter: false,
      cancelCut: { primary: undefined, replica: undefined },
    }
    targets.set(key, target)
    target.proxyNetworks = proxyNetworks
    return target
  }

  const cut = (target: OwnTarget, role: RoutedRole): void => {
    for (const link of [...target.links]) if (link.role === role) link.cut()
  }

  function cancelCut(target: OwnTarget, role: RoutedRole): void {
    target.cancelCut[role]?.()
    target.cancelCut[role] = undefined
  }

  /** Forgets what is over: the drain of a port without connections, and a target that nobody uses. */
  function tidyUp(target: OwnTarget): void {
    for (const role of roles) if (target.linksOf[role] === 0) cancelCut(target, role)
    if (target.active === 0 && !isListed(target)) targets.delete(target.key)
  }

  function drainOrCut(target: OwnTarget, role: RoutedRole, isFailed: boolean): void {
    if (target.linksOf[role] === 0) return
    const isFenced =
      routes.primary.isFencing &&
      !usable.primary.includes(target) &&
      (role === 'primary' || target.hasBeenWriter)
    // Where it failed nobody answers: clients would wait for as long as their own limits are.
    if (isFailed || isFenced) cut(target, role)
    else target.cancelCut[role] ??= clock.after(drainTimeout, () => cut(target, role))
  }

  const mayStay = (target: OwnTarget, role: RoutedRole): boolean =>
    usable[role].includes(target) || reserve(role).includes(target)

  /** Starts anew what comes back: whoever put it back into use has seen that it answers. */
  function list(sources: readonly Target[]): readonly OwnTarget[] {
    return sources.map((source) => {
      const target = targetOf(source)
      if (!isListed(target)) {
        target.isBlocked = false
        target.isUnresponsive = false
      }
      return target
    })
  }

  function problem(role: RoutedRole): string | null {
    const candidates = [...usable[role], ...reserve(role)]
    if (candidates.some(isHealthy)) return null
    const reasons = usable[role].length === 0 ? [routes[role].problem ?? ''] : []
    return [...new Set([...reasons, ...candidates.map(shortcoming)])].join('; ')
  }

  function notes(wanted: readonly RoutedRole[]): readonly string[] {
    const known = wanted.map(problem).join('; ')
    const impaired = [...targets.values()]
      .filter((it) => isListed(it) && !isHealthy(it))
      .map(shortcoming)
      .filter((it) => !known.includes(it))
    const untold = [...targets.values()]
      .filter((it) => isListed(it) && it.isUntold)
      .map(({ name }) => `${name} ${takesNoHeader}`)
    const [writer] = reserve('replica')
    const others = [...impaired, ...untold]
    if (!writer || usable.replica.length > 0 || !wanted.includes('replica')) return others
    return [...others, `${routes.replica.problem}, so the read-only port leads to ${writer.name}`]
  }

  return {
    setRouting: (routing) => {
      for (const role of roles) routes[role] = routeOf({ routing, service, role })
      const [writers, readers] = [list(routes.primary.usable), list(routes.replica.usable)]
      usable.primary = writers
      usable.replica = readers
      for (const target of readers) target.hasBeenWriter = false
      for (const target of writers) target.hasBeenWriter = true
      const sources = routing.services.find(({ name }) => name === service)?.datasources ?? []
      for (const target of [...targets.values()]) {
        const { name, host, port } = target
        const source = sources.find((it) => it.name === name && it.host === host && it.port === port)
        for (const role of roles) {
          if (mayStay(target, role)) cancelCut(target, role)
          else drainOrCut(target, role, source?.state === 'FAILED')
        }
        tidyUp(target)
      }
      const kept = new Set([...sources, ...targets.values()].map(({ name }) => name))
      for (const name of created.keys()) if (!kept.has(name)) created.delete(name)
    },
    choose: (role, tried) => {
      const untried = (list: readonly OwnTarget[]): readonly OwnTarget[] =>
        tried.length === 0 ? list : list.filter((it) => !tried.includes(it))
      const first = untried(usable[role])
      const second = untried(reserve(role))
      const target =
        leastBusy(first.filter(isHealthy)) ??
        leastBusy(second.filter(isHealthy)) ??
        leastBusy(first.filter(mayBeDialled)) ??
        leastBusy(second.filter(mayBeDialled))
      if (!target) return undefined
      choices += 1
      target.chosen = choices
      return target
    },
    problem,
    holdReason: (role) => {
      if (role === 'replica' && (!readonlyFallback || usable.replica.length > 0)) return null
      return routes.primary.isHeld ? routes.primary.problem : null
    },
    notes,
    setBlocked: (target, isBlocked) => {
      own(target).isBlocked = isBlocked
    },
    setUnresponsive: (target, isUnresponsive) => {
      own(target).isUnresponsive = isUnresponsive
    },
    setUntold: (target, isUntold) => {
      own(target).isUntold = isUntold
    },
    leaveBehind: (target, change) => {
      own(target).leftBehind += change
    },
    isUsable: (target) => isListed(own(target)),
    open: (target, link) => {
      const it = own(target)
      it.links.add(link)
      it.linksOf[link.role] += 1
      it.active += 1
      active += 1
    },
    created: ({ name }) => void created.set(name, (created.get(name) ?? 0) + 1),
    closed: (target, link) => {
      const it = own(target)
      if (!it.links.delete(link)) return
      it.linksOf[link.role] -= 1
      it.active -= 1
      active -= 1
      if (it.cancelCut[link.role] || it.active === 0) tidyUp(it)
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
    blocked: () => [...targets.values()].filter((it) => it.isBlocked).map(({ name }) => name),
    unresponsive: () => [...targets.values()].filter((it) => it.isUnresponsive).map(({ name }) => name),
    cutAll: () => {
      for (const target of [...targets.values()]) for (const role of roles) cut(target, role)
    },
  }
}
