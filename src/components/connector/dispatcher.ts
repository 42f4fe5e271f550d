import type { Socket } from 'node:net'
import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { forward, watchTls } from './forward.ts'
import { type Handshake, type LoginOutcome, type NoGreeting, relayHandshake } from './handshake.ts'
import type { LoginLimiter } from './loginLimiter.ts'
import { createReadBuffer, type Dial, type ReadBuffer } from './readBuffer.ts'
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
  readonly loginLimiter: Pick<LoginLimiter, 'broken' | 'succeeded'>
  /** Returns true while clients wait for others to log in. */
  readonly isCrowded: () => boolean
  readonly reject: (client: Client, refusal: Refusal) => void
  /** Called after a data source could not be reached; the mode decides what happens to the client now. */
  readonly retry: (client: Client) => void
  /** Called when the client's login is over, however it ended. */
  readonly onLoginEnded: (client: Client) => void
  /** Called when a client is connected. */
  readonly onConnected: () => void
  /** Called when a connection, or the attempt at one, ended. */
  readonly onEnded: () => void
}): Dispatch {
  const {
    service,
    dialTimeout,
    clock,
    dial,
    targets,
    loginLimiter,
    isCrowded,
    reject,
    retry,
    onLoginEnded,
    onConnected,
    onEnded,
  } = options
  const markBlocked = watchBlocked({ dial, clock, targets })

  function rejectUnrouted(client: Client): void {
    const { failures, role, tried } = client
    const isBlocked =
      targets.blocked().length > 0 && tried.every(({ name }) => targets.blocked().includes(name))
    const refusal =
      failures.length > 0
        ? unreachable(service, failures, isBlocked)
        : noDataSource(targets.problem(role) ?? 'it is gone')
    reject(client, refusal)
    onLoginEnded(client)
  }

  function connect(client: Client, target: Target): void {
    const readBuffer = createReadBuffer()
    const database = dial(target, readBuffer)
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
      client.attempt = undefined
      targets.closed(target, link)
      onEnded()
      return true
    }

    /** Goes on without this data source. */
    function fail(why: string): void {
      cancelLate()
      if (!detach()) {
        if (hasLeft) onLoginEnded(client)
        return
      }
      client.tried.push(target)
      client.failures.push(`${target.name} ${why}`)
      retry(client)
      if (!client.attempt) onLoginEnded(client)
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
      if (broken) loginLimiter.broken(client.origin)
      if (noGreeting?.number === hostBlocked) {
        markBlocked(target)
        fail(blocksThisHost)
        return
      }
      if (detach()) {
        if (noGreeting) reject(client, refusedByDatabase(noGreeting))
        else client.socket.destroySoon()
      } else if (!hasLeft) return
      onLoginEnded(client)
    }

    function handOver(how: LoginOutcome): void {
      if (how === 'logged-in') loginLimiter.succeeded()
      if (how === 'broken') loginLimiter.broken(client.origin)
      targets.setBlocked(target, false)
      onConnected()
      targets.created(target)
      if (how !== 'tls') {
        join({ client, database, readBuffer, target, link, onClosed: () => undefined })
        onLoginEnded(client)
        return
      }
      let hasGoneOn = false
      const onClosed = (): void => {
        if (hasGoneOn) return
        hasGoneOn = true
        loginLimiter.broken(client.origin)
        onLoginEnded(client)
      }
      join({ client, database, readBuffer, target, link, onClosed })
      const onGoneOn = (): void => {
        if (hasGoneOn) return
        hasGoneOn = true
        onLoginEnded(client)
      }
      watchTls({ client: client.socket, readBuffer, onGoneOn })
    }

    const onError = (error: Error): void => fail(explainDial(error))

    client.attempt = { leave }
    targets.open(target, link)
    database.once('error', onError)
    database.once('connect', () => {
      cancelLate()
      database.off('error', onError)
      database.on('error', () => undefined)
      handshake = relayHandshake({
        client: isDetached ? undefined : client.socket,
        database,
        readBuffer,
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
    readonly readBuffer: ReadBuffer
    readonly target: Target
    readonly link: Link
    readonly onClosed: () => void
  }): void {
    const { client, database, readBuffer, target, link, onClosed } = parts
    client.isForwarded = true
    client.attempt = undefined
    const closed = (): void => {
      onClosed()
      targets.closed(target, link)
      onEnded()
    }
    link.cut = () => {
      client.socket.destroy()
      database.destroy()
      // Those who cut want to know at once what is left.
      closed()
    }
    forward({ client: client.socket, database, readBuffer, clock, onClosed: closed })
  }

  return (client) => {
    const target = targets.choose(client.role, client.tried)
    if (target) connect(client, target)
    else rejectUnrouted(client)
  }
}
