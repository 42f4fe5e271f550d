import type { Socket } from 'node:net'
import type { ProxyLimits } from '../../contracts/serverSettings.ts'
import type { Clock } from '../clock.ts'
import type { Client } from './client.ts'
import { forward, watchTls } from './forward.ts'
import { type Handshake, type LoginOutcome, type NoGreeting, relayHandshake } from './handshake.ts'
import type { LoginLimiter } from './loginLimiter.ts'
import { isInNetworks, proxyHeader } from './proxyProtocol.ts'
import { createReadBuffer, type Dial, type ReadBuffer } from './readBuffer.ts'
import {
  blocksThisHost,
  explainDial,
  greetedTooLate,
  hostBlocked,
  noDataSource,
  type Refusal,
  refusedByDatabase,
  unreachable,
} from './refusal.ts'
import type { Link, Target, Targets } from './targets.ts'
import { watchUnhealthy } from './watchUnhealthy.ts'

/** Connects a client to a data source of its role, or rejects it. */
type Dispatch = (client: Client) => void

/** Times in milliseconds. */
export function createDispatcher(
  options: Pick<ProxyLimits, 'service' | 'greetingTimeout' | 'proxyProtocol'> & {
    /** Time limit for a data source to accept a connection. */
    readonly dialTimeout: number
    readonly clock: Clock
    readonly dial: Dial
    readonly targets: Targets
    readonly loginLimiter: Pick<LoginLimiter, 'broken' | 'succeeded' | 'spoke'>
    readonly isStopping: () => boolean
    readonly reject: (client: Client, refusal: Refusal) => void
    /** Called instead where data sources are there and were not reached, and none of them blocks this host. */
    readonly onUnreached: (client: Client, refusal: Refusal) => void
    /** Called after a data source could not be reached; the mode decides what happens to the client now. */
    readonly retry: (client: Client) => void
    /** Called when the client's login is over, however it ended. */
    readonly onLoginEnded: (client: Client) => void
    /** Called when a client is connected. */
    readonly onConnected: () => void
    /** Called when a data source greets a client, so that it is there. */
    readonly onReached: (client: Client) => void
    /** Called when a connection, or the attempt at one, ended. */
    readonly onEnded: () => void
  },
): Dispatch {
  const {
    service,
    dialTimeout,
    greetingTimeout,
    proxyProtocol,
    clock,
    dial,
    targets,
    loginLimiter,
    reject,
    onUnreached,
    retry,
    onLoginEnded,
    onConnected,
    onReached,
    onEnded,
  } = options
  const watch = watchUnhealthy({ ...options })

  function rejectUnrouted(client: Client): void {
    const { failures, role, tried } = client
    const isBlocked =
      targets.blocked().length > 0 && tried.every(({ name }) => targets.blocked().includes(name))
    const refusal =
      failures.length > 0
        ? unreachable(service, failures, isBlocked)
        : noDataSource(targets.problem(role) ?? 'it is gone')
    const isMissed = failures.length > 0 || targets.unresponsive().length > 0
    if (isMissed && !isBlocked) onUnreached(client, refusal)
    else reject(client, refusal)
    onLoginEnded(client)
  }

  function connect(client: Client, target: Target): void {
    const readBuffer = createReadBuffer()
    const database = dial(target, readBuffer)
    let handshake: Handshake | undefined
    let isDetached = false
    let hasLeft = false
    let isLeftBehind = false
    const link: Link = { role: client.role, cut }
    const late = (): void => {
      database.destroy()
      fail(`did not answer within ${dialTimeout / 1000} s`)
    }
    let cancelLate = clock.after(dialTimeout, late)

    /** Ends this attempt for the client; the database's side ends by itself. False where it has ended before. */
    function detach(): boolean {
      if (isDetached) return false
      isDetached = true
      client.attempt = undefined
      client.login = undefined
      targets.closed(target, link)
      onEnded()
      return true
    }

    /** Goes on without this data source. */
    function fail(why: string): void {
      if (!detach()) {
        if (hasLeft) onLoginEnded(client)
        return
      }
      client.tried.push(target)
      client.failures.push(`${target.name} ${why}`)
      retry(client)
      if (!client.attempt) onLoginEnded(client)
    }

    /** Goes on without a data source that hangs; the connection to it stays until it goes on or ends. */
    function leaveBehind(): void {
      isLeftBehind = true
      targets.leaveBehind(target, 1)
      if (targets.isUsable(target)) {
        targets.setUnresponsive(target, true)
        watch(target)
      }
      // It may never greet, and must not keep a process that ends.
      database.unref()
      handshake?.leave()
      fail(greetedTooLate(greetingTimeout))
    }

    /** Tells the server whose connection this is, before anything else; one that does not take it would count it as broken. */
    function nameClient(): void {
      const isTold = isInNetworks(database.localAddress, target.proxyNetworks ?? '')
      if (isTold) database.write(proxyHeader(client.ends))
      targets.setUntold(target, !isTold)
    }

    function endWait(): void {
      cancelLate()
      if (isLeftBehind) targets.leaveBehind(target, -1)
      isLeftBehind = false
    }

    function onGreeted(): void {
      endWait()
      targets.setUnresponsive(target, false)
      onReached(client)
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
        // Nobody else logs in there: a server that hangs must not keep the place of this login.
        onLoginEnded(client)
      } else {
        handshake?.leave()
        fail('may not be used any more')
      }
    }

    function onOver(end: { readonly broken: boolean; readonly noGreeting?: NoGreeting }): void {
      const { broken, noGreeting } = end
      endWait()
      if (broken) loginLimiter.broken(client.origin)
      if (noGreeting?.number === hostBlocked) {
        targets.setBlocked(target, true)
        watch(target)
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
      if (how === 'logged-in') {
        loginLimiter.succeeded()
        loginLimiter.spoke(client.origin)
      }
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
        loginLimiter.spoke(client.origin)
        onLoginEnded(client)
      }
      const dismiss = (): void => link.cut()
      const turn = watchTls({ client: client.socket, readBuffer, clock, onGoneOn, onSilent: dismiss })
      client.login = { turn, dismiss }
    }

    const onError = (error: Error): void => {
      cancelLate()
      fail(explainDial(error))
    }

    client.attempt = { leave }
    targets.open(target, link)
    database.once('error', onError)
    database.once('connect', () => {
      cancelLate()
      cancelLate = clock.after(greetingTimeout, leaveBehind)
      database.off('error', onError)
      database.on('error', () => undefined)
      if (proxyProtocol) nameClient()
      handshake = relayHandshake({
        client: isDetached ? undefined : client.socket,
        database,
        readBuffer,
        clock,
        onGreeted,
        onHandedOver: handOver,
        onOver,
      })
      if (!isDetached) client.login = handshake
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
    client.login = undefined
    const closed = (): void => {
      onClosed()
      targets.closed(target, link)
      onEnded()
    }
    link.cut = () => {
      client.socket.destroy()
      // What the kernel has not sent yet must not reach a server that may not be written to any more.
      database.resetAndDestroy()
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
