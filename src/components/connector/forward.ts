import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import type { Intake } from './intake.ts'

/** Milliseconds that one side gets to take what is left for it when the other is closed. */
const linger = 30_000

/**
 * Joins a client and its database until both are closed. A side that breaks off ends the other, which is given all
 * that came before: a reset would take from it what the kernel has not delivered yet.
 */
export function forward(options: {
  readonly client: Socket
  readonly database: Socket
  /** How the database is read. */
  readonly intake: Intake
  readonly clock: Clock
  readonly onClosed: () => void
}): void {
  const { client, database, intake, clock, onClosed } = options
  let open = 2
  let cancel: (() => void) | undefined

  function closed(other: Socket): void {
    open -= 1
    if (open === 0) {
      cancel?.()
      intake.end()
      onClosed()
    } else {
      other.destroySoon()
      // Nothing more goes into what is queued, so this is no limit on the length of an answer.
      cancel = clock.after(linger, () => other.destroy())
    }
  }

  intake.to(client)
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
