import type { Socket } from 'node:net'
import { peerNetwork } from '../../api/remoteAddress.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { ProxyLimits } from '../../contracts/serverSettings.ts'
import type { Clock } from '../clock.ts'
import { type Client, createClient } from './client.ts'
import type { Mode } from './connectorState.ts'
import { createDispatcher } from './dispatcher.ts'
import { createDrain } from './drain.ts'
import { createHoldQueue, type HoldQueue } from './holdQueue.ts'
import { createLoginLimiter } from './loginLimiter.ts'
import { createLoginPlaces } from './loginPlaces.ts'
import { createBalancers, type Ends } from './proxyProtocol.ts'
import type { Dial } from './readBuffer.ts'
import {
  heldTooLong,
  noWriter,
  offline,
  pendingTooLong,
  type Refusal,
  type RefusalReason,
  rejectClient,
  stopping,
  tooManyForWriter,
  tooManyHeld,
  tooManyPending,
} from './refusal.ts'
import type { RoutedRole } from './routing.ts'
import { createTargets } from './targets.ts'

/** Counters of a proxy. */
export type ProxyCounts = {
  readonly active: number
  readonly held: number
  readonly created: number
  /** Milliseconds until the client that waits longest is answered with an error. */
  readonly remaining: number | undefined
  /** Milliseconds until connections are cut that drain now. */
  readonly draining: number | undefined
  /** Clients that log in now, and logins that broke off so far. */
  readonly logins: { readonly pending: number; readonly broken: number }
  /** Names of the data sources that turn this host away. */
  readonly blocked: readonly string[]
  /** Names of the data sources that accept connections and do not greet. */
  readonly unresponsive: readonly string[]
  readonly byName: ReadonlyMap<string, { readonly active: number; readonly created: number }>
  readonly refused: ReadonlyMap<RefusalReason, number>
}

export type TcpProxy = {
  /** Takes over a client that a listener has accepted. */
  accept(socket: Socket, role: RoutedRole): void
  /** Applies a mode to clients; a wait that it makes pointless ends. */
  setMode(mode: Mode): void
  /** Cuts every connection now; returns true if there was one. */
  cut(): boolean
  /** Routes anew from now on; clients that waited for a writer are released, or learn why there is none. */
  setRouting(routing: Routing): void
  /** Refuses new clients and those who wait, until it is undefined again; open connections stay. */
  setClosed(refusal: Refusal | undefined): void
  /** Returns why no connection can be routed; null if one can. */
  problem(role: RoutedRole): string | null
  /** Returns what the ports of these roles have to do without while they forward. */
  notes(roles: readonly RoutedRole[]): readonly string[]
  counts(): ProxyCounts
  /** Turns every new client away and resolves when no connection is left; after that many milliseconds they are cut. */
  stop(grace: number): Promise<void>
  /** Ends all that is left at once, also clients that were refused and stay. */
  close(): void
}

const ports = ['primary', 'replica'] as const

/** Milliseconds between two attempts to reach the writer, while its clients wait. */
const attemptPause = 250

/** Forwards clients to the data sources of one service. Times in milliseconds. */
export function createProxy(
  options: ProxyLimits & {
    /** Time limit for a data source to accept a connection. */
    readonly dialTimeout: number
    readonly mode: Mode
    readonly clock: Clock
    readonly dial: Dial
  },
): TcpProxy {
  const { maxHeld, maxHold, drainTimeout, balancerNetworks, clock } = options
  const targets = createTargets(options)
  const drain = createDrain({ targets, clock })
  const queueOf = (role: RoutedRole): HoldQueue<Client> =>
    createHoldQueue<Client>({
      most: maxHeld,
      longest: maxHold,
      clock,
      originOf: ({ origin }) => origin,
      onExpired: (client) => reject(client, waitedTooLong(role)),
    })
  // One for each port: those who wait for a writer are in nobody else's way.
  const held: Record<RoutedRole, HoldQueue<Client>> = {
    primary: queueOf('primary'),
    replica: queueOf('replica'),
  }
  const open = new Set<Socket>()
  const refused = new Map<RefusalReason, number>()
  let mode = options.mode
  let created = 0
  let isStopping = false
  let isReleasing = false
  let isToRelease = false
  let closed: Refusal | undefined
  let cancelRelease: (() => void) | undefined
  /** Why the writer was not reached, while its clients wait for the next attempt. */
  let unreached: Refusal | undefined
  let cancelAttempt: (() => void) | undefined
  /** The one that tries now. */
  let attempting: Client | undefined

  const loginLimiter = createLoginLimiter({ clock })
  const balancers = createBalancers({ networks: balancerNetworks, clock })
  const places = createLoginPlaces({ clock, loginLimiter })
  const connect = createDispatcher({
    ...options,
    targets,
    loginLimiter,
    isStopping: () => isStopping,
    reject,
    onUnreached,
    retry: place,
    onLoginEnded: endLogin,
    onConnected: () => {
      created += 1
    },
    onReached: ({ role }) => {
      if (role === 'primary') endUnreached()
    },
    onEnded: drain.finishIfIdle,
  })

  function reject(client: Pick<Client, 'socket'>, refusal: Refusal): void {
    refused.set(refusal.reason, (refused.get(refusal.reason) ?? 0) + 1)
    rejectClient(client.socket, refusal, clock)
  }

  /** Returns why clients of a port wait for a writer; null where they wait for something else, or not at all. */
  const writerProblem = (role: RoutedRole): string | null =>
    mode.value === 'ONLINE' ? targets.holdReason(role) : null

  /** Returns why the writer was not reached, where clients of a port wait for it. */
  const unreachedFor = (role: RoutedRole): Refusal | undefined =>
    mode.value === 'ONLINE' && role === 'primary' ? unreached : undefined

  /** Ends the wait for another attempt: all may try. */
  function endUnreached(): void {
    cancelAttempt?.()
    cancelAttempt = undefined
    attempting = undefined
    if (unreached === undefined) return
    unreached = undefined
    release()
  }

  /** Lets one client at a time try, after a pause. */
  function awaitAttempt(): void {
    if (unreached && !attempting) cancelAttempt ??= clock.after(attemptPause, attemptWriter)
  }

  /** Lets clients of the writer wait for it; all others are told at once. */
  function onUnreached(client: Client, why: Refusal): void {
    if (client.role !== 'primary' || mode.value !== 'ONLINE' || isStopping) {
      reject(client, why)
      return
    }
    unreached ??= why
    hold(client)
  }

  /** Lets the first of those who wait try the writer again. */
  function attemptWriter(): void {
    cancelAttempt = undefined
    const { client } = held.primary.next(() => 0) ?? {}
    if (!client) endUnreached()
    else if (places.enter(client)) {
      held.primary.remove(client)
      attempting = client
      connect(client)
    } else awaitAttempt()
  }

  function waitedTooLong(role: RoutedRole): Refusal {
    const why = unreachedFor(role)
    if (why) return why
    const problem = writerProblem(role)
    if (problem !== null) return noWriter(problem, maxHold)
    return mode.value === 'ONLINE' ? pendingTooLong(maxHold) : heldTooLong(maxHold)
  }

  function tooMany(role: RoutedRole): Refusal {
    const why = unreachedFor(role)
    if (why) return why
    const problem = writerProblem(role)
    if (problem !== null) return tooManyForWriter(problem, maxHeld)
    return mode.value === 'ONLINE' ? tooManyPending(maxHeld) : tooManyHeld(maxHeld)
  }

  function hold(client: Client): void {
    client.tried = []
    client.failures = []
    const unplaced = held[client.role].add(client, client.arrivedAt)
    if (unplaced) reject(unplaced, tooMany(client.role))
    awaitAttempt()
  }

  /** Returns true where clients of a port wait for a writer. */
  const isAwaited = (role: RoutedRole): boolean =>
    targets.holdReason(role) !== null || unreachedFor(role) !== undefined

  /** Returns the ports whose clients wait for nothing but a login of their own. */
  const openPorts = (): readonly RoutedRole[] =>
    mode.value === 'ONLINE' && !isStopping
      ? ports.filter((role) => held[role].size > 0 && !isAwaited(role))
      : []

  /**
   * Handles a client that is not forwarded yet by the present mode. OFFLINE responds with the reason rather than closing
   * the port: people see the reason, and no other program takes the port meanwhile. Load balancers ask
   * /health/ready.
   */
  function place(client: Client): void {
    if (isStopping) reject(client, stopping)
    else if (mode.value === 'OFFLINE') reject(client, offline(mode.since))
    else if (closed) reject(client, closed)
    else if (mode.value === 'ONHOLD' || isAwaited(client.role)) hold(client)
    else if (places.enter(client)) connect(client)
    else {
      hold(client)
      release()
    }
  }

  /** Takes out the next client that may log in: of the address with the fewest logins, the one that came first. */
  function takeNext(): Client | undefined {
    const rankOf = (origin: string): number | undefined =>
      loginLimiter.obstacle(origin) === undefined ? (loginLimiter.pending().get(origin) ?? 0) : undefined
    const [best] = openPorts()
      .flatMap((role) => held[role].next(rankOf) ?? [])
      .toSorted((a, b) => a.rank - b.rank || a.arrived - b.arrived)
    if (!best || !places.enter(best.client)) return undefined
    held[best.client.role].remove(best.client)
    return best.client
  }

  /** Returns how many clients wait for places that clients of each address have. */
  function waitingForPlaces(): ReadonlyMap<string, number> {
    const waiting = new Map<string, number>()
    const [[most] = []] = [...loginLimiter.pending()].toSorted(([, a], [, b]) => b - a)
    for (const role of openPorts()) {
      for (const [origin, { size }] of held[role].origins()) {
        const obstacle = loginLimiter.obstacle(origin)
        const holder = obstacle === 'places' ? most : obstacle === 'places-of-address' ? origin : undefined
        if (holder !== undefined) waiting.set(holder, (waiting.get(holder) ?? 0) + size)
      }
    }
    return waiting
  }

  /**
   * Connects held clients as far as the login limiter allows, in the order of each address, and makes room for those
   * who wait for others to log in.
   */
  function release(): void {
    isToRelease = true
    // Those who are turned away at once end their logins within.
    if (isReleasing) return
    isReleasing = true
    cancelRelease?.()
    cancelRelease = undefined
    let next: number | undefined
    try {
      while (isToRelease) {
        isToRelease = false
        for (let client = takeNext(); client; client = takeNext()) connect(client)
        next = isStopping || mode.value === 'OFFLINE' ? places.clear() : places.makeRoom(waitingForPlaces())
      }
    } finally {
      isReleasing = false
    }
    const times = [next, openPorts().length > 0 ? loginLimiter.remaining() : undefined]
    const milliseconds = Math.min(...times.map((it) => it ?? Number.POSITIVE_INFINITY))
    if (milliseconds < Number.POSITIVE_INFINITY) cancelRelease = clock.after(milliseconds, release)
  }

  function endLogin(client: Client): void {
    if (client === attempting) {
      attempting = undefined
      awaitAttempt()
    }
    if (places.leave(client)) release()
  }

  function turnAwayHeld(refusal: Refusal): void {
    for (const role of ports) {
      for (let client = held[role].take(); client; client = held[role].take()) reject(client, refusal)
    }
  }

  /** Milliseconds until the client that waits longest is answered with an error. */
  function remaining(): number | undefined {
    const times = ports.map((role) => held[role].remaining()).filter((it) => it !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  function problemOf(role: RoutedRole): string | null {
    const problem = targets.problem(role)
    const waiting = writerProblem(role) === null ? 0 : held[role].size
    return problem === null || waiting === 0
      ? problem
      : `${problem} (${waiting} ${waiting === 1 ? 'client waits' : 'clients wait'} for it)`
  }

  function stop(grace: number): Promise<void> {
    isStopping = true
    endUnreached()
    turnAwayHeld(stopping)
    return new Promise((resolve) => {
      drain.onIdle(resolve)
      if (targets.active() > 0) drain.start(Math.min(grace, drain.remaining() ?? grace))
      drain.finishIfIdle()
      release()
    })
  }

  /** Takes a client that is at the far one of these ends. */
  function admit(socket: Socket, role: RoutedRole, ends: Ends): void {
    const origin = peerNetwork(ends.remoteAddress ?? 'gone')
    const client = createClient({ socket, ends, role, origin, arrivedAt: clock.elapsed() }, (left) => {
      held[role].remove(left)
      left.attempt?.leave()
    })
    // Nobody overtakes those of the same port who wait to be released.
    if (mode.value === 'ONLINE' && held[role].size > 0 && !isStopping) {
      hold(client)
      release()
    } else place(client)
  }

  return {
    accept: (socket, role) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      const isBalanced = balancers.read(socket, {
        onClient: (ends) => admit(socket, role, ends),
        onRefused: (refusal) => reject({ socket }, refusal),
      })
      if (!isBalanced) admit(socket, role, socket)
    },
    setMode: (next) => {
      mode = next
      if (isStopping) return
      drain.cancel()
      if (mode.value === 'OFFLINE') {
        turnAwayHeld(offline(mode.since))
        if (targets.active() > 0) drain.start(drainTimeout)
      }
      release()
    },
    cut: () => {
      const hadAny = targets.active() > 0
      targets.cutAll()
      return hadAny
    },
    setRouting: (routing) => {
      targets.setRouting(routing)
      endUnreached()
      release()
    },
    setClosed: (refusal) => {
      closed = refusal
      if (refusal && !isStopping) turnAwayHeld(refusal)
    },
    problem: problemOf,
    notes: (roles) => [...targets.notes(roles), ...balancers.notes()],
    counts: () => {
      const left = drain.remaining()
      return {
        active: targets.active(),
        held: held.primary.size + held.replica.size,
        created,
        remaining: remaining(),
        draining: left === undefined ? undefined : Math.max(0, left),
        logins: loginLimiter.counts(),
        blocked: targets.blocked(),
        unresponsive: targets.unresponsive(),
        byName: targets.counts(),
        refused,
      }
    },
    stop,
    close: () => {
      void stop(0)
      targets.cutAll()
      for (const socket of open) socket.destroy()
    },
  }
}
