import type { Socket } from 'node:net'
import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { forward, watchTls } from './forward.ts'
import { type HandedOver, type Handshake, type NoGreeting, relayHandshake } from './handshake.ts'
import type { LoginLimiter } from './loginLimiter.ts'
import { createReadBuffer, type ReadBuffer } from './readBuffer.ts'
import {
  blocksThisHost,
  explainDial,
  hostBlocked,
  noDataSource,
  type Refusal,
  refusedByDatabase,
  unreachable,
} from './refusal.ts'
import type { Link, Target, Targets } from './targets.ts'
import { watchBlocked } from './watchBlocked.ts'

/** Opens a connection to a data source; what it sends goes to the read buffer. */
export type Dial = (place: { readonly host: string; readonly port: number }, intake: ReadBuffer) => Socket

/** Connects a client to a data source of its role, or rejects it. */
export type Dispatch = (client: Client) => void

/** Times in milliseconds. */
export function createDispatcher(options: {
  readonly service: string
  /** Time limit for a data source to accept a connection. */
  readonly dialTimeout: number
  readonly clock: Clock
  readonly dial: Dial
  readonly targets: Targets
  readonly admission: Pick<LoginLimiter, 'broken' | 'succeeded'>
  /** Returns true while clients wait for others to log in. */
  readonly isCrowded: () => boolean
  readonly refuse: (client: Client, refusal: Refusal) => void
  /** Called after a data source could not be reached; the mode decides what happens to the client now. */
  readonly again: (client: Client) => void
  /** Called when the client's login is over, however it ended. */
  readonly settled: (client: Client) => void
  /** Called when a client is connected. */
  readonly joined: () => void
  /** Called when a connection, or the attempt at one, ended. */
  readonly ended: () => void
}): Dispatch {
  const {
    service,
    dialTimeout,
    clock,
    dial,
    targets,
    admission,
    isCrowded,
    refuse,
    again,
    settled,
    joined,
    ended,
  } = options
  const noteBlocked = watchBlocked({ dial, clock, targets })

  function refuseUnrouted(client: Client): void {
    const { failures, role, tried } = client
    const isBlocked =
      targets.blocked().length > 0 && tried.every(({ name }) => targets.blocked().includes(name))
    const refusal =
      failures.length > 0
        ? unreachable(service, failures, isBlocked)
        : noDataSource(targets.problem(role) ?? 'it is gone')
    refuse(client, refusal)
    settled(client)
  }

  function connect(client: Client, target: Target): void {
    const intake = createReadBuffer()
    const database = dial(target, intake)
    let handshake: Handshake | undefined
    let isDetached = false
    let hasLeft = false
    const link: Link = { cut }
    const late = (): void => {
      database.destroy()
      fail(`did not answer within ${dialTimeout / 1000} s`)
    }
    const cancelLate = clock.after(dialTimeout, late)

    /** Ends this attempt for the client; the database's side ends by itself. False where it has ended before. */
    function detach(): boolean {
      if (isDetached) return false
      isDetached = true
      client.dialling = undefined
      targets.closed(target, link)
      ended()
      return true
    }

    /** Goes on without this data source. */
    function fail(why: string): void {
      cancelLate()
      if (!detach()) {
        if (hasLeft) settled(client)
        return
      }
      client.tried.push(target)
      client.failures.push(`${target.name} ${why}`)
      again(client)
      if (!client.dialling) settled(client)
    }

    // A connection that is on its way is not broken off either: the server would have to count it.
    function leave(): void {
      if (!detach()) return
      hasLeft = true
      handshake?.leave()
    }

    function cut(): void {
      if (handshake?.hasGreeted()) {
        leave()
        client.socket.destroy()
      } else {
        handshake?.leave()
        fail('may not be used any more')
      }
    }

    function onOver(end: { readonly broken: boolean; readonly noGreeting?: NoGreeting }): void {
      const { broken, noGreeting } = end
      if (broken) admission.broken(client.from)
      if (noGreeting?.number === hostBlocked) {
        noteBlocked(target)
        fail(blocksThisHost)
        return
      }
      if (detach()) {
        if (noGreeting) refuse(client, refusedByDatabase(noGreeting))
        else client.socket.destroySoon()
      } else if (!hasLeft) return
      settled(client)
    }

    function handOver(how: HandedOver): void {
      if (how === 'logged-in') admission.succeeded()
      if (how === 'broken') admission.broken(client.from)
      targets.setBlocked(target, false)
      joined()
      targets.created(target)
      if (how !== 'tls') {
        join({ client, database, intake, target, link, onClosed: () => undefined })
        settled(client)
        return
      }
      let hasGoneOn = false
      const onClosed = (): void => {
        if (hasGoneOn) return
        hasGoneOn = true
        admission.broken(client.from)
        settled(client)
      }
      join({ client, database, intake, target, link, onClosed })
      const onGoneOn = (): void => {
        if (hasGoneOn) return
        hasGoneOn = true
        settled(client)
      }
      watchTls({ client: client.socket, intake, onGoneOn })
    }

    const onError = (error: Error): void => fail(explainDial(error))

    client.dialling = { leave }
    targets.open(target, link)
    database.once('error', onError)
    database.once('connect', () => {
      cancelLate()
      database.off('error', onError)
      database.on('error', () => undefined)
      handshake = relayHandshake({
        client: isDetached ? undefined : client.socket,
        database,
        intake,
        clock,
        isCrowded,
        onHandedOver: handOver,
        onOver,
      })
    })
  }

  function join(parts: {
    readonly client: Client
    readonly database: Socket
    readonly intake: ReadBuffer
    readonly target: Target
    readonly link: Link
    readonly onClosed: () => void
  }): void {
    const { client, database, intake, target, link, onClosed } = parts
    client.isForwarded = true
    client.dialling = undefined
    const closed = (): void => {
      onClosed()
      targets.closed(target, link)
      ended()
    }
    link.cut = () => {
      client.socket.destroy()
      database.destroy()
      // Those who cut want to know at once what is left.
      closed()
    }
    forward({ client: client.socket, database, intake, clock, onClosed: closed })
  }

  return (client) => {
    const target = targets.choose(client.role, client.tried)
    if (target) connect(client, target)
    else refuseUnrouted(client)
  }
}
