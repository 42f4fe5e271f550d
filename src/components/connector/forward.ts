import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
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
 * called once where it does. To be called after both sides were joined.
 */
export function watchTls(options: {
  readonly client: Socket
  readonly readBuffer: ReadBuffer
  readonly onGoneOn: () => void
}): void {
  const { client, readBuffer, onGoneOn } = options
  let turns = 1
  let isServersTurn = true

  const onData = (bytes: Buffer): void => {
    if (isServersTurn || isAlert(bytes)) return
    isServersTurn = true
    turns += 1
    if (turns < turnsOfLogin) return
    client.off('data', onData)
    readBuffer.to(client)
    onGoneOn()
  }
  client.on('data', onData)
  readBuffer.to({
    write: (bytes: Buffer) => {
      isServersTurn = false
      return client.write(bytes)
    },
    get writableLength() {
      return client.writableLength
    },
  })
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
