import type { Writable } from 'node:stream'

const sliceLength = 256 * 1024

/**
 * Writes `parts` one after another, never more than the stream has room for. Resolves when all is handed
 * over or `over` has settled; errors of the stream are its owner's business.
 */
export async function feed(options: {
  readonly stream: Writable
  readonly parts: readonly Buffer[]
  /** Settles when nothing will be read any more; never rejects. */
  readonly over: Promise<unknown>
}): Promise<void> {
  const { stream, parts } = options
  let stopped = false
  const over = options.over.then(() => {
    stopped = true
  })
  for (const part of parts) {
    for (let start = 0; start < part.length && !stopped; start += sliceLength) {
      if (stream.write(part.subarray(start, start + sliceLength))) continue
      await Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), over])
    }
  }
}
