import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import { errorPacket } from './errorPacket.ts'
import type { Refusal } from './refusals.ts'

/** Milliseconds that a client gets to read why. */
const linger = 2000

/**
 * Answers a client and ends the connection, so that it reads the answer first. `sequence` is 0 for a client that was
 * not greeted yet, else the next number of its login.
 */
export function turnAway(socket: Socket, refusal: Refusal, clock: Clock, sequence = 0): void {
  const cancel = clock.after(linger, () => socket.destroy())
  socket.on('close', cancel)
  socket.end(errorPacket(refusal.number, refusal.message, sequence))
  // What it sent must be read: closed with something unread, the kernel resets, which discards the answer.
  socket.resume()
}
