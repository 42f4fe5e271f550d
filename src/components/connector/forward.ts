import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'

/** Milliseconds that one side gets to take what is left for it when the other is closed. */
const linger = 30_000

/** Hands on what comes from one side, no faster than the other takes it, and its end. */
function pump(from: Socket, to: Socket): void {
  from.on('data', (chunk: Buffer) => {
    // The kernel mostly takes it at once: then nothing is queued, whatever `write` says of its limit.
    if (!to.write(chunk) && to.writableLength > 0) from.pause()
  })
  to.on('drain', () => from.resume())
  from.on('end', () => to.end())
}

/**
 * Joins a client and its database until both are closed. A side that breaks off ends the other, which is given all
 * that came before: a reset would take from it what the kernel has not delivered yet.
 */
export function forward(options: {
  readonly client: Socket
  readonly database: Socket
  readonly clock: Clock
  readonly onClosed: () => void
}): void {
  const { client, database, clock, onClosed } = options
  let open = 2
  let cancel: (() => void) | undefined

  function closed(other: Socket): void {
    open -= 1
    if (open === 0) {
      cancel?.()
      onClosed()
    } else {
      other.destroySoon()
      // Nothing more goes into what is queued, so this is no limit on the length of an answer.
      cancel = clock.after(linger, () => other.destroy())
    }
  }

  pump(client, database)
  pump(database, client)
  client.on('close', () => closed(database))
  database.on('close', () => closed(client))
  client.resume()
}
