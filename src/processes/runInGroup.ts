import type { Environment } from './environment.ts'
import { startInteractive } from './run.ts'

/** End of a program; without `failure` its exit code was 0. */
type GroupResult = {
  /** Follows the program's name in a sentence: `ended with code 3`. */
  readonly failure?: string
  /** The ends of standard error and standard output, as the program wrote them. */
  readonly stderr: string
  readonly stdout: string
}

/** Bytes of each output stream that are kept, the last ones. */
const keptBytes = 8 * 1024

/** Milliseconds from SIGTERM to SIGKILL. */
const grace = 2000

/**
 * Runs a program to its end in a process group of its own, so that Ctrl-C at the terminal does not reach it. Once the
 * time is over, or `signal` is aborted, ends the program and all that it started. Reads all output and keeps the end of
 * it; does not wait for processes that the program leaves behind. Never rejects.
 */
export async function runInGroup(options: {
  readonly command: readonly [string, ...string[]]
  readonly stdin: string
  /** Milliseconds. */
  readonly timeout: number
  readonly cwd: string
  readonly env: Environment
  readonly extraEnv: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}): Promise<GroupResult> {
  const { timeout, signal } = options
  if (signal.aborted) return { failure: 'was stopped', stderr: '', stdout: '' }
  const child = startInteractive({ ...options, environment: 'program' })
  const [stderr, stdout] = [lastBytes(child.stderr), lastBytes(child.stdout)]
  let ended: string | undefined
  let later: ReturnType<typeof setTimeout> | undefined
  const end = (why: string): void => {
    if (ended !== undefined) return
    ended = why
    child.kill('SIGTERM')
    later = setTimeout(() => child.kill(), grace)
  }
  const stop = (): void => end('was stopped')
  const kill = (): void => child.kill()
  const timer = setTimeout(() => end(`timed out after ${timeout / 1000} s`), timeout)
  signal.addEventListener('abort', stop)
  // A second Ctrl-C ends this process at once, and the program must not go on alone.
  process.once('exit', kill)
  // A program may end without reading it.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.stdin)
  const { code, reason } = await child.exited
  clearTimeout(timer)
  clearTimeout(later)
  signal.removeEventListener('abort', stop)
  process.off('exit', kill)
  if (ended !== undefined) child.kill()
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  const failure = ended ?? failureOf(code, reason, options.command)
  return { ...(failure === undefined ? {} : { failure }), stderr: stderr(), stdout: stdout() }
}

function failureOf(
  code: number | null,
  reason: string,
  [program]: readonly [string, ...string[]],
): string | undefined {
  if (code === 0) return undefined
  if (code !== null) return `ended with code ${code}`
  return /^SIG[A-Z0-9]+$/.test(reason) ? `was killed by ${reason}` : reason.replace(`${program} `, () => '')
}

/** Reads a stream to its end; returns what it said last, as UTF-8. */
function lastBytes(stream: NodeJS.ReadableStream): () => string {
  let kept = Buffer.alloc(0)
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer | string) => {
    const bytes = Buffer.from(chunk)
    kept =
      bytes.length >= keptBytes
        ? Buffer.from(bytes.subarray(-keptBytes))
        : Buffer.concat([kept.subarray(Math.max(0, kept.length + bytes.length - keptBytes)), bytes])
  })
  return () => kept.toString('utf8')
}
