import { setMaxListeners } from 'node:events'
import { closeSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { isSea } from 'node:sea'
import { printableInColour } from '../base/printable.ts'
import { type CommandContext, type Output, writingAs } from '../cli/context.ts'
import { invocationOf } from '../cli/invocation.ts'
import { ownPackage } from './ownPackage.ts'

/**
 * Returns the context of this process. The first SIGINT or SIGTERM aborts `signal`; a second one prints `forcedStopMessage` and
 * exits with code 130. SIGHUP aborts `signal` and nothing more: shell and kernel may both send it when a terminal closes. A
 * closed output (`| head`) and a closed terminal are no errors; an output without room exits with code 1.
 */
export function createProcessContext(
  forcedStopMessage: string,
  { directory, version } = ownPackage(),
): CommandContext {
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
  process.on('SIGHUP', () => {
    if (process.listeners('exit').includes(closeTerminal)) return
    // Node.js 20 aborts at its end if it cannot reset a terminal that is gone; it leaves closed ones alone.
    process.once('exit', closeTerminal)
    stop.abort()
  })
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return
      // Of a terminal that was closed (tty(4)); of a file it is a failing disk.
      if (error.code === 'EIO' && output.isTTY) return
      if (output === process.stdout) {
        process.stderr.write(`error: the output could not be written: ${error.message}\n`)
      }
      process.exit(1)
    })
  }
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

/** Returns the way that this process was called, for hints. */
export function processInvocation(name: string): string {
  // The script has the path of a link as it was typed; the single executable has its own name only.
  const path = isSea() ? process.argv0 : process.argv[1]
  const cwd = workingDirectory()
  return invocationOf(name, {
    path: path?.includes('/') === true ? resolve(cwd, path) : undefined,
    cwd,
    env: process.env,
  })
}

/** Closes the three standard streams of a process whose terminal is gone. */
function closeTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      closeSync(descriptor)
    } catch {
      // It was closed before.
    }
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
