import { Secret } from '../secrets/secret.ts'
import { exchange, type ShellStreams } from './exchange.ts'
import { feed } from './feed.ts'
import { frameHead } from './shellLoop.ts'
import type { RunOptions, RunResult } from './transport.ts'
import { TransportError } from './transportError.ts'

/** Bytes of each output stream of one run that are kept. */
export const outputCap = 8 * 1024 * 1024
const patience = 256 * 1024 * 1024
const defaultTimeout = 60_000
/** Below this length script and data travel in one packet. */
const onePacket = 24 * 1024

export type FramedShell = {
  /** As `Transport.run`; runs wait for each other, and the timeout counts from the start of the run. */
  run(script: string, options?: RunOptions): Promise<RunResult>
}

/** Either the shell, or what was printed instead of its ready line and why waiting for it ended. */
export type Opened =
  | { readonly ready: true; readonly shell: FramedShell }
  | { readonly ready: false; readonly said: string; readonly why: string; readonly timedOut: boolean }

export type ShellOptions = {
  readonly host: string
  readonly streams: ShellStreams
  /** The one the loop was started with. */
  readonly nonce: string
  /** Milliseconds for the loop to get ready. */
  readonly timeout: number
  readonly random: (bytes: number) => Buffer
}

/** Waits for the loop to be ready, skipping what the login printed before. Never rejects. */
export async function openFramedShell(options: ShellOptions): Promise<Opened> {
  const { streams, nonce, timeout } = options
  const outcome = await exchange({ streams, marker: nonce, cap: 64 * 1024, patience, timeout })
  if (outcome.kind === 'done') return { ready: true, shell: framedShell(options) }
  const why = outcome.kind === 'gone' ? outcome.why : `no answer within ${timeout / 1000} s`
  return { ready: false, said: outcome.said, why, timedOut: outcome.kind !== 'gone' }
}

function framedShell({ host, streams, random }: ShellOptions): FramedShell {
  let dead: string | undefined
  let last: Promise<unknown> = Promise.resolve()
  streams.gone.then((why) => {
    dead ??= why
  })

  const runNow = async (script: string, options: RunOptions): Promise<RunResult> => {
    if (dead !== undefined) throw lost(host, dead)
    const id = random(16).toString('hex')
    const data = bytesOf(options.stdin)
    const head = frameHead({ id, script, dataLength: data.length })
    const parts = data.length < onePacket ? [Buffer.concat([head, data])] : [head, data]
    const timeout = options.timeout ?? defaultTimeout
    const answer = exchange({ streams, marker: id, cap: outputCap, patience, timeout })
    await feed({ stream: streams.stdin, parts, over: answer })
    const outcome = await answer
    if (outcome.kind === 'gone') throw lost(host, outcome.why)
    if (outcome.kind !== 'done') {
      dead ??= 'it was closed after a script that did not end'
      streams.cut()
      throw outcome.kind === 'flood' ? tooMuchOutput(host) : tooLate(host, timeout)
    }
    const { stdout, stderr } = outcome
    if (Math.max(stdout.length, stderr.length) > outputCap) throw tooMuchOutput(host)
    return {
      code: Number(stdout.rest),
      stdout: stdout.output.toString('utf8'),
      stderr: stderr.output.toString('utf8'),
    }
  }

  return {
    run: (script, options = {}) => {
      const result = last.then(() => runNow(script, options))
      last = result.catch(() => undefined)
      return result
    },
  }
}

function bytesOf(stdin: RunOptions['stdin']): Buffer {
  if (stdin instanceof Secret) return Buffer.from(stdin.reveal())
  return Buffer.isBuffer(stdin) ? stdin : Buffer.from(stdin ?? '')
}

const lost = (host: string, why: string): TransportError =>
  new TransportError({
    host,
    code: 'connection-lost',
    message: `the connection to ${host} was lost: ${why}`,
    fix: 'See whether the host is up and can be reached, then run the same command again: it resumes.',
  })

const tooLate = (host: string, timeout: number): TransportError =>
  new TransportError({
    host,
    code: 'timeout',
    message: `a script on ${host} did not end within ${timeout / 1000} s; it may still be running there`,
    fix: 'See what keeps the host busy (load, a full disk, a network file system), then run the command again.',
  })

const tooMuchOutput = (host: string): TransportError =>
  new TransportError({
    host,
    code: 'too-much-output',
    message: `a script on ${host} wrote more than ${outputCap / 1024 / 1024} MiB`,
    fix: 'Something on the host prints without end, such as a login script or a broken service: see what it says.',
  })
