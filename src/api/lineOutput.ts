import { writeSync } from 'node:fs'

/** Bytes that may wait for a file that takes none; lines beyond them are lost. */
const longestWait = 1024 * 1024

/** Milliseconds until a file that took nothing is tried again, if nothing else is to be written before. */
const pause = 100

/** An open file, which may be another one from one batch of lines to the next. */
export type LogTarget = {
  /** Told how many bytes of whole lines come; may throw as writing may. */
  begin(bytes: number): void
  file(): number
  wrote(bytes: number): void
}

const fixed = (file: number): LogTarget => ({
  begin: () => undefined,
  file: () => file,
  wrote: () => undefined,
})

/**
 * Adds lines to an open file: once for all lines of a turn of the event loop, so that a line costs little under
 * load, and is there as soon as its call is answered. What is left is written when the process ends. A file that
 * cannot be written (a full disk, a reader that went away) stops nobody.
 */
export function lineOutput(to: number | LogTarget): { write(line: string): void } {
  const target = typeof to === 'number' ? fixed(to) : to
  let waiting = ''
  let rest = Buffer.alloc(0)
  let isDue = false

  const flush = (): void => {
    isDue = false
    try {
      if (rest.length === 0) {
        rest = Buffer.from(waiting)
        waiting = ''
        target.begin(rest.length)
      } else {
        // What is half-written stays in one file.
        rest = Buffer.concat([rest, Buffer.from(waiting)])
        waiting = ''
      }
      while (rest.length > 0) {
        const written = writeSync(target.file(), rest)
        target.wrote(written)
        rest = rest.subarray(written)
      }
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
