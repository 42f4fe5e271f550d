import { setMaxListeners } from 'node:events'
import { writeSync } from 'node:fs'
import { printableInColour } from '../base/printable.ts'
import { type CommandContext, type Output, writingAs } from '../cli/context.ts'
import { ownPackage } from './ownPackage.ts'

/**
 * Returns the context of this process. The first SIGINT or SIGTERM aborts `signal`; a second one prints `forcedStopMessage` and
 * exits with code 130. A closed output (`| head`) is no error; an output without room exits with code 1.
 */
export function createProcessContext(forcedStopMessage: string): CommandContext {
  const stop = new AbortController()
  // Every call and every host listens; Node.js warns of a leak from the eleventh on.
  setMaxListeners(0, stop.signal)
  const onSignal = () => {
    if (!stop.signal.aborted) return stop.abort()
    // Past a live progress, which keeps back what others print and has hidden the cursor.
    writeSync(2, `${process.stderr.isTTY ? '\u001b[?25h\n' : ''}${forcedStopMessage}\n`)
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
    stderr: printableOutput(process.stderr),
    env: process.env,
    cwd: workingDirectory(),
    now: () => new Date(),
    signal: stop.signal,
    packageDirectory: directory,
    version,
  }
}

/** Returns a stream without control characters, except those of our own colours. */
export const printableOutput = (stream: Output): Output =>
  writingAs(stream, {
    write: (text) => stream.write(printableInColour(text)),
    writeFile: (text) => stream.write(stream.isTTY === true ? printableInColour(text) : text),
    // From the upper left corner on, which is cleared (ECMA-48: CUP, ED).
    rewrite: (text) =>
      stream.write(`${stream.isTTY === true ? '\u001b[H\u001b[J' : ''}${printableInColour(text)}`),
  })

/** Returns the absolute working directory; exits with code 3 if it was deleted. */
function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    writeSync(2, 'error: the current folder no longer exists.\n  fix: Change to an existing folder.\n')
    process.exit(3)
  }
}
