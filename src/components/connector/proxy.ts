import type { Socket } from 'node:net'
import { peerNetwork } from '../../api/remoteAddress.ts'
import { type Client, createClient } from './client.ts'
import type { Clock } from './clock.ts'
import type { Mode } from './connectorState.ts'
import { createDispatcher } from './dispatcher.ts'
import { createDrain } from './drain.ts'
import { createHoldQueue } from './holdQueue.ts'
import { createLoginLimiter } from './loginLimiter.ts'
import type { Dial } from './readBuffer.ts'
import {
  heldTooLong,
  offline,
  pendingTooLong,
  type Refusal,
  type RefusalReason,
  rejectClient,
  stopping,
  tooManyHeld,
  tooManyPending,
} from './refusal.ts'
import type { MapInEffect, RoutedRole } from './routing.ts'
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
  /** Routes by another map from now on. */
  setMap(map: MapInEffect): void
  /** Returns why no connection can be routed; null if one can. */
  problem(role: RoutedRole): string | null
  counts(): ProxyCounts
  /** Turns every new client away and resolves when no connection is left; after that many milliseconds they are cut. */
  stop(grace: number): Promise<void>
}

/** Forwards clients to the data sources of one service. Times in milliseconds. */
export function createProxy(options: {
  readonly service: string
  readonly maxHeld: number
  readonly maxHold: number
  readonly drainTimeout: number
  /** Time limit for a data source to accept a connection. */
  readonly dialTimeout: number
  readonly mode: Mode
  readonly clock: Clock
  readonly dial: Dial
}): TcpProxy {
  const { service, maxHeld, maxHold, drainTimeout, clock } = options
  const targets = createTargets({ service, drainTimeout, clock })
  const drain = createDrain({ targets, clock })
  const held = createHoldQueue<Client>({
    most: maxHeld,
    longest: maxHold,
    clock,
    onExpired: (client) =>
      reject(client, mode.value === 'ONLINE' ? pendingTooLong(maxHold) : heldTooLong(maxHold)),
  })
  const refused = new Map<RefusalReason, number>()
  let mode = options.mode
  let created = 0
  let isStopping = false
  let cancelRelease: (() => void) | undefined

  const loginLimiter = createLoginLimiter({ clock })
  const connect = createDispatcher({
    ...options,
    targets,
    loginLimiter,
    isCrowded: () => held.size > 0,
    reject,
    retry: place,
    onLoginEnded: endLogin,
    onConnected: () => {
      created += 1
    },
    onEnded: drain.finishIfIdle,
  })

  function reject(client: Client, refusal: Refusal): void {
    refused.set(refusal.reason, (refused.get(refusal.reason) ?? 0) + 1)
    rejectClient(client.socket, refusal, clock)
  }

  function hold(client: Client): void {
    client.tried = []
    client.failures = []
    if (held.add(client, client.arrivedAt)) return
    reject(client, mode.value === 'ONLINE' ? tooManyPending(maxHeld) : tooManyHeld(maxHeld))
  }

  const startLogin = (client: Client): boolean => {
    client.isAdmitted ||= loginLimiter.enter(client.origin)
    return client.isAdmitted
  }

  /**
   * Handles a client that is not forwarded yet by the present mode. OFFLINE responds with the reason rather than closing
   * the port: people see the reason, and no other program takes the port meanwhile. Load balancers ask
   * /health/ready.
   */
  function place(client: Client): void {
    if (isStopping) reject(client, stopping)
    else if (mode.value === 'OFFLINE') reject(client, offline(mode.since))
    else if (mode.value === 'ONHOLD') hold(client)
    else if (startLogin(client)) connect(client)
    else {
      hold(client)
      release()
    }
  }

  /** Connects held clients in order, as far as the login limiter allows. */
  function release(): void {
    cancelRelease?.()
    cancelRelease = undefined
    while (mode.value === 'ONLINE' && !isStopping && held.size > 0) {
      const client = held.take(startLogin)
      if (client) connect(client)
      else {
        const milliseconds = loginLimiter.remaining()
        if (milliseconds !== undefined) cancelRelease = clock.after(milliseconds, release)
        return
      }
    }
  }

  function endLogin(client: Client): void {
    if (!client.isAdmitted) return
    client.isAdmitted = false
    loginLimiter.leave(client.origin)
    release()
  }

  function turnAwayHeld(refusal: Refusal): void {
    for (let client = held.take(); client; client = held.take()) reject(client, refusal)
  }

  return {
    accept: (socket, role) => {
      const origin = peerNetwork(socket.remoteAddress ?? 'gone')
      const client = createClient({ socket, role, origin, arrivedAt: clock.elapsed() }, (left) => {
        held.remove(left)
        left.attempt?.leave()
      })
      // Nobody overtakes those who wait to be released.
      if (mode.value === 'ONLINE' && held.size > 0 && !isStopping) {
        hold(client)
        release()
      } else place(client)
    },
    setMode: (next) => {
      mode = next
      if (isStopping) return
      drain.cancel()
      if (mode.value === 'ONLINE') release()
      if (mode.value !== 'OFFLINE') return
      turnAwayHeld(offline(mode.since))
      if (targets.active() > 0) drain.start(drainTimeout)
    },
    cut: () => {
      const hadAny = targets.active() > 0
      targets.cutAll()
      return hadAny
    },
    setMap: (map) => targets.setMap(map),
    problem: (role) => targets.problem(role),
    counts: () => {
      const left = drain.remaining()
      return {
        active: targets.active(),
        held: held.size,
        created,
        remaining: held.remaining(),
        draining: left === undefined ? undefined : Math.max(0, left),
        logins: loginLimiter.counts(),
        blocked: targets.blocked(),
        byName: targets.counts(),
        refused,
      }
    },
    stop: (grace) => {
      isStopping = true
      turnAwayHeld(stopping)
      return new Promise((resolve) => {
        drain.onIdle(resolve)
        if (targets.active() > 0) drain.start(Math.min(grace, drain.remaining() ?? grace))
        drain.finishIfIdle()
      })
    },
  }
}
