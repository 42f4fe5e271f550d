import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import type { Login } from './client.ts'
import { handshakeLimits } from './handshake.ts'
import type { ReadBuffer } from './readBuffer.ts'

/**
 * Times that a client speaks, its ClientHello included, in the shortest session that logs in: TLS 1.3 ends its
 * handshake together with the login, then comes the command to quit. Those who leave within the handshake, or are
 * refused, speak less often.
 */
const turnsOfLogin = 3

/** Records of TLS with which one side only says that it ends: an alert, which TLS 1.3 hides as 19 bytes of data. */
const isAlert = (bytes: Buffer): boolean =>
  bytes[0] === 21 || (bytes.length >= 5 && bytes[0] === 23 && bytes.readUInt16BE(3) <= 19)

/**
 * Watches a client that has sent its ClientHello: what it says is hidden, but not that it goes on. `onGoneOn` is
 * called once where it does, `onSilent` where it does not in time. To be called after both sides were joined.
 */
export function watchTls(options: {
  readonly client: Socket
  readonly readBuffer: ReadBuffer
  readonly clock: Clock
  readonly onGoneOn: () => void
  readonly onSilent: () => void
}): Login['turn'] {
  const { client, readBuffer, clock, onGoneOn, onSilent } = options
  let turns = 1
  let whose: 'client' | 'server' = 'server'
  let since = clock.elapsed()
  let isOver = false
  let cancel: (() => void) | undefined

  function waitFor(next: typeof whose): void {
    whose = next
    since = clock.elapsed()
    cancel?.()
    cancel = next === 'client' ? clock.after(handshakeLimits.client, onSilent) : undefined
  }

  function end(): void {
    isOver = true
    cancel?.()
  }

  const onData = (bytes: Buffer): void => {
    if (whose === 'server' || isAlert(bytes)) return
    waitFor('server')
    turns += 1
    if (turns < turnsOfLogin) return
    end()
    client.off('data', onData)
    readBuffer.to(client)
    onGoneOn()
  }
  client.on('data', onData)
  client.on('close', end)
  readBuffer.to({
    write: (bytes: Buffer) => {
      if (!isOver && whose === 'server') waitFor('client')
      return client.write(bytes)
    },
    get writableLength() {
      return client.writableLength
    },
  })
  return () => (isOver ? undefined : { whose, since })
}

/** Milliseconds that one side gets to take what is left for it when the other is closed. */
const linger = 30_000

/**
 * Joins a client and its database until both are closed. A side that breaks off ends the other, which is given all
 * that came before: a reset would take from it what the kernel has not delivered yet.
 */
export function forward(options: {
  readonly client: Socket
  readonly database: Socket
  /** Reader of the database's connection. */
  readonly readBuffer: ReadBuffer
  readonly clock: Clock
  readonly onClosed: () => void
}): void {
  const { client, database, readBuffer, clock, onClosed } = options
  let open = 2
  let cancel: (() => void) | undefined

  function closed(other: Socket): void {
    open -= 1
    if (open === 0) {
      cancel?.()
      readBuffer.end()
      onClosed()
    } else {
      other.destroySoon()
      // Nothing more goes into what is queued, so this is no limit on the length of an answer.
      cancel = clock.after(linger, () => other.destroy())
    }
  }

  readBuffer.to(client)
  client.on('drain', () => database.resume())
  client.on('data', (chunk: Buffer) => {
    // Nothing is queued when the kernel took it at once, whatever `write` says of its limit.
    if (!database.write(chunk) && database.writableLength > 0) client.pause()
  })
  database.on('drain', () => client.resume())
  client.on('end', () => database.end())
  database.on('end', () => client.end())
  client.on('close', () => closed(database))
  database.on('close', () => closed(client))
  client.resume()
}
