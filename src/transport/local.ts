import { randomBytes } from 'node:crypto'
import { lastLines } from '../base/printable.ts'
import type { Environment } from '../processes/environment.ts'
import { startInteractive } from '../processes/run.ts'
import { dialLocal } from './dial.ts'
import { loopArguments, openFramedShell } from './shell/framedShell.ts'
import type { ShellStreams } from './shell/responses.ts'
import { shellTransport } from './shell/shellTransport.ts'
import type { Transport } from './transport.ts'
import { TransportError } from './transportError.ts'

/** Runs the shell on this machine, as a child process, instead of over SSH. */
export async function connectLocal(options: {
  readonly host: string
  /** The operator's environment; the shell gets the part that `shellEnvironment` picks. */
  readonly env: Environment
  readonly random?: (bytes: number) => Buffer
}): Promise<Transport> {
  const { host, random = randomBytes } = options
  const nonce = random(16).toString('hex')
  const child = startInteractive({ command: ['sh', ...loopArguments(nonce)], env: options.env })
  const streams: ShellStreams = {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: child.exited.then(({ code, reason }) => (code === null ? reason : `sh ended with code ${code}`)),
    destroy: child.kill,
  }
  streams.ended.then(() => {
    // A process left behind may hold them open, which would keep us from ending.
    child.stdout.destroy()
    child.stderr.destroy()
  })
  // `gone` reports a shell that ended; EPIPE adds nothing.
  child.stdin.on('error', () => undefined)
  const opened = await openFramedShell({ host, streams, nonce, timeout: 10_000, random })
  if (opened.ready) return shellTransport({ host, streams, shell: opened.shell, random, dial: dialLocal })
  child.kill()
  throw new TransportError({
    host,
    code: 'connection-lost',
    message: `sh could not be started on this machine: ${lastLines(opened.said) || opened.why}`,
    fix: 'Install a POSIX sh and coreutils: connection: local needs them in PATH.',
  })
}
