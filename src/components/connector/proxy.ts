import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import { explainDial } from './explainDial.ts'
import { forward } from './forward.ts'
import { createIntake, type Intake } from './intake.ts'
import type { Mode } from './mode.ts'
import {
  heldTooLong,
  noDataSource,
  offline,
  type Refusal,
  type RefusalReason,
  stopping,
  tooManyHeld,
  unreachable,
} from './refusals.ts'
import type { MapInEffect, RoutedRole } from './routes.ts'
import { createTargets, type Link, type Target } from './targets.ts'
import { turnAway } from './turnAway.ts'
import { createWaitingRoom } from './waitingRoom.ts'

/** How many of the clients that were held are connected at once: a database whose queue overflows loses some. */
const releasedAtOnce = 32

/** A client that is not joined to a database yet. */
type Client = {
  readonly socket: Socket
  readonly role: RoutedRole
  readonly arrived: number
  /** Data sources that could not be reached, and why. */
  tried: Target[]
  failures: string[]
  /** Whether it was held and counts among those that are being released. */
  isReleased: boolean
  /** Set while it is being connected. */
  dialling: Link | undefined
  /** Whether it is joined to a database, which then says when it ends. */
  isForwarded: boolean
}

/** What a proxy counts. */
export type ProxyCounts = {
  readonly active: number
  readonly held: number
  readonly created: number
  /** Milliseconds until the client that waits longest is answered with an error. */
  readonly remaining: number | undefined
  /** Milliseconds until connections are cut that drain now. */
  readonly draining: number | undefined
  readonly byName: ReadonlyMap<string, { readonly active: number; readonly created: number }>
  readonly refused: ReadonlyMap<RefusalReason, number>
}

export type TcpProxy = {
  /** Looks after a client that a listener has accepted. */
  accept(socket: Socket, role: RoutedRole): void
  /** Does with clients what a mode says; a wait that it makes pointless ends. */
  enter(mode: Mode): void
  /** Cuts every connection now; whether there was one. */
  cut(): boolean
  /** Routes by another map from now on. */
  follow(map: MapInEffect): void
  /** Why no connection can go anywhere; null where one can. */
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
  /** How long a data source may take to accept a connection. */
  readonly dialTimeout: number
  readonly mode: Mode
  readonly clock: Clock
  readonly dial: (place: { readonly host: string; readonly port: number }, intake: Intake) => Socket
}): TcpProxy {
  const { service, maxHeld, maxHold, drainTimeout, dialTimeout, clock, dial } = options
  const targets = createTargets({ service, drainTimeout, clock })
  const waiting = createWaitingRoom<Client>({
    most: maxHeld,
    longest: maxHold,
    clock,
    sendAway: (client) => refuse(client, heldTooLong(maxHold)),
  })
  const refused = new Map<RefusalReason, number>()
  let mode = options.mode
  let created = 0
  let releasing = 0
  let isStopping = false
  let cutAt: number | undefined
  let cancelCut: (() => void) | undefined
  let allGone: (() => void) | undefined

  function refuse(client: Client, refusal: Refusal): void {
    refused.set(refusal.reason, (refused.get(refusal.reason) ?? 0) + 1)
    turnAway(client.socket, refusal, clock)
  }

  function hold(client: Client): void {
    client.tried = []
    client.failures = []
    if (!waiting.enter(client, client.arrived)) refuse(client, tooManyHeld(maxHeld))
  }

  /**
   * Does with a client that is not forwarded yet what the mode says now. OFFLINE answers why rather than closing
   * the port: people see the reason, and no other program takes the port meanwhile. Load balancers ask
   * /health/ready.
   */
  function place(client: Client): void {
    if (isStopping) refuse(client, stopping)
    else if (mode.value === 'OFFLINE') refuse(client, offline(mode.since))
    else if (mode.value === 'ONHOLD') hold(client)
    else connect(client)
  }

  function release(): void {
    while (mode.value === 'ONLINE' && !isStopping && releasing < releasedAtOnce) {
      const client = waiting.next()
      if (!client) return
      client.isReleased = true
      releasing += 1
      connect(client)
    }
  }

  function endRelease(client: Client): void {
    if (!client.isReleased) return
    client.isReleased = false
    releasing -= 1
    release()
  }

  function connect(client: Client): void {
    const target = targets.choose(client.role, client.tried)
    if (!target) {
      const { failures, role } = client
      refuse(
        client,
        failures.length > 0
          ? unreachable(service, failures)
          : noDataSource(targets.problem(role) ?? 'it is gone'),
      )
      endRelease(client)
      return
    }
    const intake = createIntake()
    const database = dial(target, intake)
    const link: Link = { cut: () => fail('may not be used any more') }
    const late = (): void => fail(`did not answer within ${dialTimeout / 1000} s`)
    const cancelLate = clock.after(dialTimeout, late)

    function settle(): void {
      cancelLate()
      client.dialling = undefined
      database.off('error', onError)
    }
    function fail(why: string): void {
      settle()
      targets.closed(target as Target, link)
      database.on('error', () => undefined)
      database.destroy()
      endDrainIfGone()
      if (client.socket.destroyed) {
        endRelease(client)
        return
      }
      client.tried.push(target as Target)
      client.failures.push(`${target?.name} ${why}`)
      place(client)
      if (!client.dialling) endRelease(client)
    }
    const onError = (error: Error): void => fail(explainDial(error))

    client.dialling = link
    targets.open(target, link)
    database.once('error', onError)
    database.once('connect', () => {
      settle()
      created += 1
      targets.created(target)
      join({ client, database, intake, target, link })
      endRelease(client)
    })
  }

  function join(parts: {
    readonly client: Client
    readonly database: Socket
    readonly intake: Intake
    readonly target: Target
    readonly link: Link
  }): void {
    const { client, database, intake, target, link } = parts
    client.isForwarded = true
    database.on('error', () => undefined)
    link.cut = () => {
      client.socket.destroy()
      database.destroy()
      // Those who cut want to know at once what is left.
      targets.closed(target, link)
      endDrainIfGone()
    }
    forward({
      client: client.socket,
      database,
      intake,
      clock,
      onClosed: () => {
        targets.closed(target, link)
        endDrainIfGone()
      },
    })
  }

  function endDrain(): void {
    cancelCut?.()
    cancelCut = undefined
    cutAt = undefined
  }

  function endDrainIfGone(): void {
    if (targets.active() > 0) return
    endDrain()
    allGone?.()
  }

  function cutWithin(milliseconds: number): void {
    endDrain()
    cutAt = clock.elapsed() + milliseconds
    cancelCut = clock.after(milliseconds, () => targets.cutAll())
  }

  function turnAwayHeld(refusal: Refusal): void {
    for (let client = waiting.next(); client; client = waiting.next()) refuse(client, refusal)
  }

  return {
    accept: (socket, role) => {
      const client: Client = {
        socket,
        role,
        arrived: clock.elapsed(),
        tried: [],
        failures: [],
        isReleased: false,
        dialling: undefined,
        isForwarded: false,
      }
      socket.on('error', () => undefined)
      // Paused here, after it began to read, it still notices that a client leaves; `pauseOnConnect` would not.
      socket.pause()
      socket.on('end', () => {
        if (!client.isForwarded) socket.destroy()
      })
      socket.on('close', () => {
        if (client.isForwarded) return
        waiting.leave(client)
        client.dialling?.cut()
      })
      // Nobody overtakes those who wait to be released.
      if (mode.value === 'ONLINE' && waiting.size > 0 && !isStopping) hold(client)
      else place(client)
    },
    enter: (next) => {
      mode = next
      if (isStopping) return
      endDrain()
      if (mode.value === 'ONLINE') release()
      if (mode.value !== 'OFFLINE') return
      turnAwayHeld(offline(mode.since))
      if (targets.active() > 0) cutWithin(drainTimeout)
    },
    cut: () => {
      const hadAny = targets.active() > 0
      targets.cutAll()
      return hadAny
    },
    follow: (map) => targets.follow(map),
    problem: (role) => targets.problem(role),
    counts: () => ({
      active: targets.active(),
      held: waiting.size,
      created,
      remaining: waiting.remaining(),
      draining: cutAt === undefined ? undefined : Math.max(0, cutAt - clock.elapsed()),
      byName: targets.counts(),
      refused,
    }),
    stop: (grace) => {
      isStopping = true
      turnAwayHeld(stopping)
      return new Promise((resolve) => {
        allGone = resolve
        if (targets.active() > 0)
          cutWithin(Math.min(grace, cutAt === undefined ? grace : cutAt - clock.elapsed()))
        endDrainIfGone()
      })
    },
  }
}
