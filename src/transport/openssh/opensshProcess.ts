import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { lastLines } from '../../base/printable.ts'
import type { Environment } from '../../processes/environment.ts'
import { ProcessError } from '../../processes/processError.ts'
import type { InteractiveChild } from '../../processes/run.ts'
import { dialLocal } from '../dial.ts'
import type { ListeningPlace } from '../transport.ts'
import { type ConnectionFolders, pidFile } from './connectionFolders.ts'
import { type ConnectionFiles, field, forwardCommand } from './opensshArguments.ts'

/** A connection of the program ssh. */
export type OpensshProcess = Pick<InteractiveChild, 'stdin' | 'stdout' | 'stderr'> & {
  readonly control: string
  /** Resolves with the exit code, null after a signal, and the last of its own lines; never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly log: string }>
  /** The end of the lines that ssh itself has written so far. */
  log(): Promise<string>
  /**
   * Connects to a server as the host sees it. ssh does not tell us that the host refuses: the stream ends then without
   * a byte.
   */
  forward(place: ListeningPlace): Promise<Duplex | Error>
  /** Ends ssh and all that it has started. */
  kill(): void
}

/** Bounds the file of ssh's own lines, 512 bytes each unit: a host can make it write. */
const bounded = 'ulimit -S -f 2048'

/** Bytes read of ssh's own lines. */
const logLimit = 16 * 1024

/** Milliseconds for ssh to hand a request to the connection, which runs on this machine. */
const requestTimeout = 10_000

/**
 * Starts ssh in a process group of its own, with a folder for its files that goes with it. Rejects as node:fs does.
 */
export async function startOpenssh(options: {
  readonly folders: ConnectionFolders
  readonly env: Environment
  /** Names of further variables that ssh_config names. */
  readonly variables: readonly string[]
  readonly knownHosts: readonly string[]
  /** Arguments of ssh. */
  readonly arguments: (files: ConnectionFiles) => readonly string[]
  /** Has no input of its own. */
  readonly alone: boolean
}): Promise<OpensshProcess> {
  const { env, alone } = options
  const { run, startInteractive } = await import('../../processes/run.ts')
  const { path: folder, remove } = await options.folders.create()
  const files = {
    log: join(folder, 'log'),
    control: join(folder, 'c'),
    knownHosts: join(folder, 'known_hosts'),
  }
  try {
    await writeFile(files.knownHosts, options.knownHosts.map((line) => `${line}\n`).join(''), { mode: 0o600 })
    const script = `echo $$ >"$0/${pidFile}"; ${bounded}; exec "$@"${alone ? ' </dev/null' : ''}`
    const named = options.variables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
    const child = startInteractive({
      command: ['sh', '-c', script, folder, 'ssh', ...options.arguments(files)],
      env,
      environment: 'program',
      // ProxyCommand and LocalCommand are ours or for any sh.
      extraEnv: { ...Object.fromEntries(named), SHELL: '/bin/sh' },
    })
    // A host that is gone is reported as the end of ssh.
    child.stdin.on('error', () => undefined)
    const ended = child.exited.then(async ({ code }) => {
      const log = await endOf(files.log)
      child.kill()
      child.stdout.destroy()
      child.stderr.destroy()
      await remove()
      return { code, log }
    })
    const sockets = new Map<string, Promise<string | Error>>()
    let listeners = 0
    const listen = async (to: string, from: string): Promise<string | Error> => {
      const command = forwardCommand(files.control, { from, to })
      try {
        const { code, stderr } = await run({ command, env, timeout: requestTimeout })
        return code === 0 ? from : new Error(lastLines(stderr) || `ssh ended with code ${code}`)
      } catch (error) {
        if (error instanceof ProcessError) return error
        throw error
      }
    }
    const forward = async (place: ListeningPlace): Promise<Duplex | Error> => {
      const to = destinationOf(place)
      const socket = sockets.get(to) ?? listen(to, join(folder, String(listeners++)))
      sockets.set(to, socket)
      const path = await socket
      if (!(path instanceof Error)) return dialLocal({ socket: path })
      // The next one tries again.
      sockets.delete(to)
      return path
    }
    const { stdin, stdout, stderr, kill } = child
    return {
      stdin,
      stdout,
      stderr,
      control: files.control,
      ended,
      log: () => endOf(files.log),
      forward,
      kill,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Milliseconds by which ssh, which counts whole seconds, may time out after us: it knows what it waited for. */
const timeoutGrace = 1200

/** Waits a moment for the end of an ssh that did not log in in time; the code is undefined if it goes on. */
export async function lateEnd({
  ended,
  log,
}: OpensshProcess): Promise<{ readonly code: number | null | undefined; readonly log: string }> {
  const end = await Promise.race([ended, pause(timeoutGrace, undefined, { ref: false })])
  return end ?? { log: await log(), code: undefined }
}

/** The other side of `-L`. */
function destinationOf(place: ListeningPlace): string {
  if ('socket' in place) return field(place.socket)
  const { address, port } = place
  return `${address.includes(':') ? `[${address}]` : address}:${port}`
}

async function endOf(path: string): Promise<string> {
  try {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const bytes = Buffer.alloc(Math.min(size, logLimit))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length)
      return bytes.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    // ssh has not written anything, or has never run.
    return ''
  }
}
