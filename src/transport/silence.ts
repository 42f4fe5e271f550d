import type { Socket } from 'node:net'

/**
 * Calls `onSilent` once when nothing has come from the other side for `limit` intervals in a row. Counts
 * intervals, not time, so that a machine that slept is not taken for a host that died.
 */
export function watchSilence(options: {
  readonly socket: Socket
  /** Milliseconds. */
  readonly interval: number
  readonly limit: number
  readonly onSilent: () => void
}): void {
  const { socket, interval, limit, onSilent } = options
  let silent = 0
  const timer = setInterval(() => {
    silent += 1
    if (silent <= limit) return
    clearInterval(timer)
    onSilent()
  }, interval)
  socket.on('data', () => {
    silent = 0
  })
  socket.once('close', () => clearInterval(timer))
}
