import { constants } from 'node:os'
import { isAbsolute } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { execa, type Subprocess } from 'execa'
import { systemReason } from '../base/systemErrors.ts'
import { Secret } from '../secrets/secret.ts'
import { type Environment, programEnvironment, shellEnvironment } from './environment.ts'
import { isExecutable } from './findProgram.ts'
import { ProcessError } from './processError.ts'

export type ProcessResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type ProcessOptions = {
  /** Program and arguments; no shell is used, and no argument is a secret. */
  readonly command: readonly [string, ...string[]]
  readonly stdin?: string | Buffer | Secret
  /** Milliseconds until SIGTERM; SIGKILL follows 2 s later. */
  readonly timeout: number
  readonly cwd?: string
  /** The operator's environment; the program gets the part that `programEnvironment` selects. */
  readonly env: Environment
  /** Further variables for this program; no secret of a cluster. */
  readonly extraEnv?: Readonly<Record<string, string>>
  /** Bytes of each output stream; default 8 MiB. */
  readonly maxOutput?: number
  /** Ends the program when aborted, as `killed`. */
  readonly signal?: AbortSignal
}

const defaultMaxOutput = 8 * 1024 * 1024

/** Milliseconds to wait for the streams of a child that has exited. */
const streamGrace = 200

const inputOf = (stdin: string | Buffer | Secret | undefined): string | Buffer =>
  stdin instanceof Secret ? stdin.reveal() : (stdin ?? '')

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8')

/**
 * Runs a program to its end; rejects with `ProcessError`. Output is decoded as UTF-8, nothing is stripped.
 */
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
  const stopWaiting = closeStreamsAfterExit(child, options)
  const result = await child.finally(stopWaiting)
  const stderr = textOf(result.stderr)
  const stdout = textOf(result.stdout)
  const fail = (code: ProcessError['code'], message: string): ProcessError =>
    new ProcessError({ code, command: options.command, message, stderr, stdout })
  if (result.timedOut) throw fail('timeout', `${program} timed out after ${options.timeout / 1000} s`)
  if (result.isMaxBuffer) throw fail('too-much-output', `${program} wrote more than ${maxOutput} bytes`)
  if (result.isCanceled) throw fail('killed', `${program} was stopped`)
  if (result.isTerminated) throw fail('killed', `${program} was killed by ${result.signal ?? 'a signal'}`)
  if (result.exitCode === undefined) throw fail('not-found', notStarted(program, options.cwd, result.code))
  return { code: result.exitCode, stdout, stderr }
}

/** Stops waiting for output after the child has exited: a grandchild may keep the streams open. */
function closeStreamsAfterExit(child: Subprocess, options: ProcessOptions): () => void {
  const closeStreams = (): void => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  const over = (): void => {
    if (child.exitCode === null && child.signalCode === null) child.once('exit', closeStreams)
    else closeStreams()
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
  if (code === 'ENOENT' && isAbsolute(program) && isExecutable(program)) {
    return `${program} cannot be run: the interpreter in its first line does not exist; a line end of Windows belongs to its name`
  }
  const where = cwd === undefined ? '' : `, or the folder ${cwd} does not exist`
  if (code === 'ENOENT') return `${program} cannot be run: no such program${where}`
  return `${program} cannot be run: ${systemReason(code) ?? code ?? 'unknown reason'}`
}

/**
 * Runs a program in place of this one: it has the terminal, and its exit code is returned, 128 and the number of the
 * signal where one ended it. Rejects with `ProcessError` if it cannot be started.
 */
export async function runInForeground(
  options: Pick<ProcessOptions, 'command' | 'env' | 'extraEnv'>,
): Promise<number> {
  const [program, ...parameters] = options.command
  const result = await execa(program, parameters, {
    stdio: 'inherit',
    extendEnv: false,
    env: { ...programEnvironment(options.env), ...options.extraEnv },
    reject: false,
  })
  if (result.signal !== undefined) return 128 + constants.signals[result.signal]
  if (result.exitCode !== undefined) return result.exitCode
  const message = notStarted(program, undefined, result.code)
  throw new ProcessError({ code: 'not-found', command: options.command, message })
}

/** A long-lived child with its three streams. */
export type InteractiveChild = {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Never rejects; code is null if a signal ended the child or it could not be started. */
  readonly exited: Promise<{ readonly code: number | null; readonly reason: string }>
  /** Ends the whole process group of the child, with SIGKILL unless told. */
  kill(signal?: 'SIGTERM' | 'SIGKILL'): void
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C at the terminal does not reach it. The
 * program must exit when its standard input ends.
 */
export function startInteractive(options: {
  readonly command: readonly [string, ...string[]]
  readonly env: Environment
  /** Part of the environment for the child, see environment.ts; default `shell`. */
  readonly environment?: 'shell' | 'program'
  /** Further variables; no secret of a cluster. */
  readonly extraEnv?: Readonly<Record<string, string>>
  readonly cwd?: string
}): InteractiveChild {
  const [program, ...parameters] = options.command
  const child = execa(program, parameters, {
    stdin: 'pipe',
    buffer: false,
    detached: true,
    cleanup: false,
    extendEnv: false,
    env: {
      ...(options.environment === 'program' ? programEnvironment : shellEnvironment)(options.env),
      ...options.extraEnv,
    },
    reject: false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  const kill: InteractiveChild['kill'] = (signal = 'SIGKILL') => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, signal)
    } catch {
      // The process group has already ended.
    }
  }
  const ended = child.then((result) => ({
    code: result.exitCode ?? null,
    reason:
      result.signal ??
      (result.exitCode === undefined ? notStarted(program, options.cwd, result.code) : 'exit'),
  }))
  // A process that the child left may hold the streams open for ever; the end of the child itself counts.
  const left = new Promise<void>((resolve) => child.once('exit', () => setTimeout(resolve, streamGrace)))
  const exited = Promise.race([
    ended,
    left.then(() => ({ code: child.exitCode, reason: child.signalCode ?? 'exit' })),
  ])
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exited, kill }
}
