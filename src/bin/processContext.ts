import { setMaxListeners } from 'node:events'
import { writeSync } from 'node:fs'
import { printableInColour } from '../base/printable.ts'
import { foldLines } from '../base/wrapping.ts'
import type { CommandContext, Output } from '../cli/context.ts'
import { ownPackage } from './ownPackage.ts'

/**
 * The world as this process has it. The first SIGINT or SIGTERM aborts `signal`; a second one ends the
 * process at once with code 130, after these words on standard error. A reader of our output that goes away (`| head`) is no error; an output without room ends the
 * process with code 1.
 */
export function createProcessContext(atOnce: string): CommandContext {
  const stop = new AbortController()
  // Every call and every host listens; Node.js warns of a leak from the eleventh on.
  setMaxListeners(0, stop.signal)
  const onSignal = () => {
    if (!stop.signal.aborted) return stop.abort()
    // Past a live progress, which keeps back what others print and has hidden the cursor.
    writeSync(2, `${process.stderr.isTTY ? '\u001b[?25h\n' : ''}${atOnce}\n`)
    process.exit(130)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return
      if (output === process.stdout) {
        process.stderr.write(`error: the output could not be written: ${error.message}\n`)
      }
      process.exit(1)
    })
  }
  const { directory, version } = ownPackage()
  return {
    stdin: process.stdin,
    stdout: printableOutput(process.stdout),
    stderr: foldedOutput(printableOutput(process.stderr)),
    env: process.env,
    cwd: workingDirectory(),
    now: () => new Date(),
    signal: stop.signal,
    packageDirectory: directory,
    version,
  }
}

/** A stream that is as another one is at each moment, and writes in its own way. */
const writingAs = (stream: Output, writes: Pick<Output, 'write' | 'writeFile'>): Output => ({
  ...writes,
  get isTTY() {
    return stream.isTTY
  },
  get columns() {
    return stream.columns
  },
  get rows() {
    return stream.rows
  },
})

/** A stream of this process that takes no control character but those of our own colours, whoever wrote the text. */
export const printableOutput = (stream: Output): Output =>
  writingAs(stream, {
    write: (text) => stream.write(printableInColour(text)),
    writeFile: (text) => stream.write(stream.isTTY === true ? printableInColour(text) : text),
  })

/** A stream whose lines break between words where a terminal is too narrow for them; a log keeps them whole. */
export const foldedOutput = (stream: Output): Output => {
  let begins = true
  return writingAs(stream, {
    write: (text) => {
      const folds = begins && stream.isTTY === true
      begins = text.endsWith('\n')
      return stream.write(folds ? foldLines(text, stream.columns) : text)
    },
  })
}

/** The folder that relative paths are of; one that was deleted meanwhile ends the process with code 3. */
function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    writeSync(2, 'error: the current folder no longer exists.\n  fix: Change to an existing folder.\n')
    process.exit(3)
  }
}
