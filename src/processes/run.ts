import type { Readable, Writable } from 'node:stream'
import { execa, type Subprocess } from 'execa'
import { systemReason } from '../base/systemErrors.ts'
import { Secret } from '../secrets/secret.ts'
import { type Environment, programEnvironment, shellEnvironment } from './environment.ts'
import { ProcessError } from './processError.ts'

export type ProcessResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type ProcessOptions = {
  /** Program and arguments; no shell in between, no secret among them. */
  readonly command: readonly [string, ...string[]]
  readonly stdin?: string | Buffer | Secret
  /** Milliseconds until the program is ended with SIGTERM, and 2 s later with SIGKILL. */
  readonly timeout: number
  readonly cwd?: string
  /** The operator's environment, from which `programEnvironment` picks. */
  readonly env: Environment
  /** Variables that this program needs beside those; no secret of a cluster. */
  readonly extraEnv?: Readonly<Record<string, string>>
  /** Bytes of each output stream; 8 MiB unless told. */
  readonly maxOutput?: number
  /** Ends the program when aborted, as `killed`. */
  readonly signal?: AbortSignal
}

const defaultMaxOutput = 8 * 1024 * 1024

/** Milliseconds that the streams of an ended child are waited for. */
const lastWords = 200

const inputOf = (stdin: string | Buffer | Secret | undefined): string | Buffer =>
  stdin instanceof Secret ? stdin.reveal() : (stdin ?? '')

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8')

/** Runs a program to its end; rejects with `ProcessError`. Output is decoded as UTF-8, nothing stripped. */
export async function run(options: ProcessOptions): Promise<ProcessResult> {
  const [program, ...parameters] = options.command
  const maxOutput = options.maxOutput ?? defaultMaxOutput
  const child = execa(program, parameters, {
    input: inputOf(options.stdin),
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: maxOutput,
    timeout: options.timeout,
    forceKillAfterDelay: 2000,
    extendEnv: false,
    env: { ...programEnvironment(options.env), ...options.extraEnv },
    reject: false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  })
  const stopWaiting = letGoWhenOver(child, options)
  const result = await child.finally(stopWaiting)
  const stderr = textOf(result.stderr)
  const stdout = textOf(result.stdout)
  const fail = (code: ProcessError['code'], message: string): ProcessError =>
    new ProcessError({ code, command: options.command, message, stderr, stdout })
  if (result.timedOut) throw fail('timeout', `${program} did not end within ${options.timeout / 1000} s`)
  if (result.isMaxBuffer) throw fail('too-much-output', `${program} wrote more than ${maxOutput} bytes`)
  if (result.isCanceled) throw fail('killed', `${program} was stopped`)
  if (result.isTerminated) throw fail('killed', `${program} was ended by ${result.signal ?? 'a signal'}`)
  if (result.exitCode === undefined) throw fail('not-found', notStarted(program, options.cwd, result.code))
  return { code: result.exitCode, stdout, stderr }
}

/** A grandchild may hold the output open when the child itself has long been ended: nobody waits for that. */
function letGoWhenOver(child: Subprocess, options: ProcessOptions): () => void {
  const letGo = (): void => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  const over = (): void => {
    if (child.exitCode === null && child.signalCode === null) child.once('exit', letGo)
    else letGo()
  }
  const timer = setTimeout(over, options.timeout)
  options.signal?.addEventListener('abort', over)
  return () => {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', over)
  }
}

function notStarted(program: string, cwd: string | undefined, code: string | undefined): string {
  if (code === 'EACCES') return `${program} cannot be run: permission denied`
  const where = cwd === undefined ? '' : `, or the folder ${cwd} does not exist`
  if (code === 'ENOENT') return `${program} cannot be run: no such program${where}`
  return `${program} cannot be run: ${systemReason(code) ?? code ?? 'unknown reason'}`
}

/** A child that lives on, talked to through its three streams. */
export type InteractiveChild = {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Never rejects; code is null when a signal ended the child or it could not be started. */
  readonly exited: Promise<{ readonly code: number | null; readonly reason: string }>
  /** Ends the child and what it started in its process group. */
  kill(): void
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C at the terminal reaches us and not it.
 * It must end by itself when its standard input ends.
 */
export function startInteractive(options: {
  readonly command: readonly [string, ...string[]]
  readonly env: Environment
  /** Which part of it the child sees, as environment.ts picks it; `shell` unless told. */
  readonly sees?: 'shell' | 'program'
  readonly cwd?: string
}): InteractiveChild {
  const [program, ...parameters] = options.command
  const child = execa(program, parameters, {
    stdin: 'pipe',
    buffer: false,
    detached: true,
    cleanup: false,
    extendEnv: false,
    env: options.sees === 'program' ? programEnvironment(options.env) : shellEnvironment(options.env),
    reject: false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  const kill = (): void => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Its group is gone already.
    }
  }
  const ended = child.then((result) => ({
    code: result.exitCode ?? null,
    reason:
      result.signal ??
      (result.exitCode === undefined ? notStarted(program, options.cwd, result.code) : 'exit'),
  }))
  // What the child left behind may hold the streams open for ever; the end of the child itself counts.
  const left = new Promise<void>((resolve) => child.once('exit', () => setTimeout(resolve, lastWords)))
  const exited = Promise.race([
    ended,
    left.then(() => ({ code: child.exitCode, reason: child.signalCode ?? 'exit' })),
  ])
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exited, kill }
}
