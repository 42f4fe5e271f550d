import type { Readable } from 'node:stream'

/**
 * Calls `onSilent` once when nothing has come from the other side for `limit` intervals in a row. Counts
 * intervals, not time, so that a machine that slept is not taken for a host that died.
 */
export function watchSilence(options: {
  readonly stream: Readable
  /** Milliseconds. */
  readonly interval: number
  readonly limit: number
  readonly onSilent: () => void
}): void {
  const { stream, interval, limit, onSilent } = options
  let silent = 0
  const timer = setInterval(() => {
    silent += 1
    if (silent <= limit) return
    clearInterval(timer)
    onSilent()
  }, interval)
  stream.on('data', () => {
    silent = 0
  })
  stream.once('close', () => clearInterval(timer))
}
