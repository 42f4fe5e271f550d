import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import type { Login } from './client.ts'
import {
  beginsAsServer,
  capabilitiesIn,
  errorIn,
  helloIn,
  isReplyTo,
  kindOfLogin,
  marks,
  packetIn,
  packetMark,
  placeholderLogin,
  quit,
  wrongReplyTo,
} from './handshakePackets.ts'
import type { ReadBuffer } from './readBuffer.ts'
import { badHandshake, brokenLogin, rejectClient } from './refusal.ts'

/** Milliseconds. */
export const handshakeLimits = {
  /** For each reply of a client: less than a server waits by default (connect_timeout, 10 s), which counts. */
  client: 8000,
  /** For each reply of a server that has greeted to a client that has left. */
  server: 60_000,
} as const

/** Bytes of a client that are kept until they form a packet; attributes of a connection have at most 64 KiB. */
const mostKept = 128 * 1024

/**
 * Ways of handing a client over to the database: logged in, refused by it, refused for a handshake that it counts,
 * hidden by TLS, or not of this protocol.
 */
export type LoginOutcome = 'logged-in' | 'refused' | 'broken' | 'tls' | 'unknown'

/** Error that a server sends instead of a greeting. */
export type NoGreeting = { readonly number: number; readonly message: string }

export type Handshake = Login & {
  /** Returns true once the client has received anything from this server. */
  hasGreeted(): boolean
  /** Ends the login of a client that is gone so that the server does not count it against this host. */
  leave(): void
}

/**
 * Passes the login of a client on, packet by packet, for a server counts each one that is broken off against the host
 * that it comes from, and blocks that host in the end (max_connect_errors). So a client's packets are passed on when
 * they are whole and of the protocol, and who leaves before the end is logged in by the connector itself, in vain:
 * a refused password is not counted. Exactly one of the callbacks `onHandedOver` and `onOver` is called.
 */
export function relayHandshake(options: {
  /** Absent where it has left already. */
  readonly client: Socket | undefined
  /** Connected; its errors are listened for. */
  readonly database: Socket
  /** Reader of the database's connection. */
  readonly readBuffer: ReadBuffer
  readonly clock: Clock
  /** The server has begun to speak. */
  readonly onGreeted: () => void
  /** All that follows goes straight through; what the client said too early is written already. */
  readonly onHandedOver: (how: LoginOutcome) => void
  /** The database has ended. `broken`: the server may have counted it; `noGreeting`: it said only this. */
  readonly onOver: (end: { readonly broken: boolean; readonly noGreeting?: NoGreeting }) => void
}): Handshake {
  const { client, database, readBuffer, clock, onGreeted, onHandedOver, onOver } = options
  let turn: 'greeting' | 'client' | 'server' = 'greeting'
  let since = clock.elapsed()
  let fromServer: Buffer = Buffer.alloc(0)
  let fromClient: Buffer = Buffer.alloc(0)
  /** Backs `fromClient` with room to grow, so that many small pieces are not copied anew each time. */
  let room: Buffer = fromClient
  let offered = 0
  let request: Buffer | undefined
  let hasLeft = client === undefined
  let isSettled = false
  let cancel: (() => void) | undefined

  function settle(): void {
    isSettled = true
    cancel?.()
    client?.off('data', onData)
    database.off('close', onClose)
  }

  function over(end: Parameters<typeof onOver>[0]): void {
    if (isSettled) return
    settle()
    database.destroy()
    onOver(end)
  }

  function handOver(how: LoginOutcome): void {
    settle()
    client?.pause()
    if (fromServer.length > 0) client?.write(fromServer)
    if (fromClient.length > 0) database.write(fromClient)
    onHandedOver(how)
  }

  /**
   * Waits for the next words of one side: a client's come in time. A server that hangs finds all connections when it
   * goes on and counts each that was closed before its greeting.
   */
  function waitFor(whose: typeof turn): void {
    turn = whose
    since = clock.elapsed()
    cancel?.()
    cancel = undefined
    if (whose === 'greeting') return
    if (hasLeft) cancel = clock.after(handshakeLimits.server, () => over({ broken: true }))
    else if (whose === 'client') cancel = clock.after(handshakeLimits.client, dismissSilent)
  }

  /** Answers in place of a client that has left. */
  function answer(): void {
    waitFor('server')
    const words = request === undefined ? placeholderLogin() : wrongReplyTo(request)
    if (words) database.write(words)
  }

  function leave(): void {
    if (hasLeft || isSettled) return
    hasLeft = true
    client?.off('data', onData)
    if (turn === 'client') answer()
    else waitFor(turn)
  }

  /** Tells a client that it broke the protocol, and goes on without it. */
  function dismiss(what: string, hasSpoken = true): void {
    const sequence = ((request?.[3] ?? 0) + (hasSpoken ? 2 : 1)) % 256
    leave()
    if (client) rejectClient(client, brokenLogin(what), clock, sequence)
  }

  const dismissSilent = (): void => dismiss('did not go on', false)

  /** Hands on what a server wants to know. */
  function ask(packet: Buffer): void {
    client?.write(packet)
    waitFor('client')
    onClientBytes()
    client?.resume()
  }

  function greeted(packet: Buffer): void {
    onGreeted()
    if (packetMark(packet) === marks.error) {
      over({ broken: false, noGreeting: errorIn(packet) })
      return
    }
    offered = capabilitiesIn(packet)
    if (hasLeft) {
      answer()
      return
    }
    ask(packet)
    client?.on('data', onData)
  }

  function onServerPacket(packet: Buffer): void {
    const mark = packetMark(packet)
    if (mark === marks.ok || mark === marks.error) {
      if (!hasLeft) {
        client?.write(packet)
        const isBroken = mark === marks.error && errorIn(packet).number === badHandshake
        handOver(mark === marks.ok ? 'logged-in' : isBroken ? 'broken' : 'refused')
        return
      }
      // As an account without a name and a password, if there is one.
      if (mark === marks.ok) database.write(quit)
      over({ broken: false })
      return
    }
    request = packet
    if (hasLeft) answer()
    else ask(packet)
  }

  function onServerBytes(bytes: Buffer): void {
    fromServer = Buffer.concat([fromServer, bytes])
    if (turn === 'greeting' && !beginsAsServer(fromServer)) {
      onGreeted()
      if (hasLeft) over({ broken: false })
      else handOver('unknown')
      return
    }
    for (let packet = packetIn(fromServer); packet && !isSettled; packet = packetIn(fromServer)) {
      fromServer = fromServer.subarray(packet.length)
      if (turn === 'greeting') greeted(packet)
      else onServerPacket(packet)
    }
  }

  function keep(bytes: Buffer): void {
    const length = fromClient.length + bytes.length
    if (length > room.length) {
      room = Buffer.alloc(2 * length)
      fromClient.copy(room)
    }
    bytes.copy(room, fromClient.length)
    fromClient = room.subarray(0, length)
  }

  function pass(packet: Buffer): void {
    fromClient = fromClient.subarray(packet.length)
    room = fromClient
    waitFor('server')
    database.write(packet)
  }

  function onFirst(packet: Buffer): void {
    const kind = kindOfLogin(packet, offered)
    if (kind === 'broken') dismiss('sent something else than a login')
    else if (kind === 'login') pass(packet)
    else {
      const hello = helloIn(fromClient.subarray(packet.length))
      if (hello === 'broken') dismiss('sent something else than TLS')
      else if (hello === 'whole') handOver('tls')
    }
  }

  function onClientBytes(): void {
    if (turn !== 'client') return
    const packet = packetIn(fromClient)
    if (!packet) {
      if (fromClient.length > mostKept) dismiss('sent too much')
    } else if (request === undefined) onFirst(packet)
    else if (isReplyTo(request, packet)) pass(packet)
    else dismiss('sent an answer of another form than was asked for')
  }

  function onData(bytes: Buffer): void {
    keep(bytes)
    // Nothing reads it before its turn, so it must not grow meanwhile.
    if (fromClient.length > mostKept) client?.pause()
    onClientBytes()
  }

  function onClose(): void {
    // In its own turn it died, which is nobody's fault; in the client's it was tired of waiting, or died as well.
    over({ broken: turn === 'client' })
  }

  database.on('close', onClose)
  database.on('end', () => {
    if (!isSettled) database.destroy()
  })
  readBuffer.to({
    write: (bytes: Buffer) => {
      onServerBytes(bytes)
      return true
    },
    writableLength: 0,
  })
  return {
    hasGreeted: () => turn !== 'greeting',
    leave,
    turn: () => (turn === 'client' && !hasLeft && !isSettled ? { whose: 'client', since } : undefined),
    dismiss: () => {
      if (!hasLeft && !isSettled) dismissSilent()
    },
  }
}
