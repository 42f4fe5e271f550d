import { writeSync } from 'node:fs'

/** Bytes that may wait for a file that takes none; lines beyond them are lost. */
const longestWait = 1024 * 1024

/** Milliseconds until a file that took nothing is tried again, if nothing else is to be written before. */
const pause = 100

/**
 * Adds lines to an open file: once for all lines of a turn of the event loop, so that a line costs little under
 * load, and is there as soon as its call is answered. What is left is written when the process ends. A file that
 * cannot be written (a full disk, a reader that went away) stops nobody.
 */
export function lineOutput(file: number): { write(line: string): void } {
  let waiting = ''
  let rest = Buffer.alloc(0)
  let isDue = false

  const flush = (): void => {
    isDue = false
    const bytes = Buffer.from(waiting)
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    waiting = ''
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(file, rest))
    } catch {
      isDue = true
      setTimeout(flush, pause).unref()
    }
  }
  process.on('exit', flush)

  return {
    write(line) {
      if (rest.length + waiting.length > longestWait) return
      waiting += line
      if (isDue) return
      isDue = true
      setImmediate(flush)
    },
  }
}
