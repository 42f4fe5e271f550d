import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandContext } from '../commands/context.ts'

/**
 * The world as this process has it. The first SIGINT or SIGTERM aborts `signal`; a second one ends the
 * process at once with code 130. A reader of our output that goes away (`| head`) is no error; an output without room ends the
 * process with code 1.
 */
export function createProcessContext(): CommandContext {
  const stop = new AbortController()
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
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
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    signal: stop.signal,
    packageDirectory: directory,
    version,
  }
}

/** The folder above this file, in src or in dist, that holds our package.json. */
function ownPackage(): { readonly directory: string; readonly version: string } {
  let directory = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const found = readPackage(join(directory, 'package.json'))
    if (found?.name === 'muster-cluster') return { directory, version: found.version }
    if (dirname(directory) === directory) throw new Error('package.json of muster-cluster was not found')
    directory = dirname(directory)
  }
}

function readPackage(file: string): { readonly name: string; readonly version: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
