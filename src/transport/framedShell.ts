import { HostText } from '../base/hostText.ts'
import { Secret } from '../secrets/secret.ts'
import { type Answers, type Outcome, readAnswers, type ShellStreams } from './exchange.ts'
import { feed } from './feed.ts'
import { frameHead } from './shellLoop.ts'
import type { RunOptions, RunResult } from './transport.ts'
import { TransportError } from './transportError.ts'

/** Bytes of each output stream of one run that are kept. */
export const outputCap = 8 * 1024 * 1024
/** Lines of each that are kept: far more than any script prints, and few enough to hold them as values. */
export const lineCap = 50_000
const patience = 256 * 1024 * 1024
const defaultTimeout = 60_000
/** Below this length script and data travel in one packet. */
const onePacket = 24 * 1024

/** Runs that hang together: after one that did not end with 0 those behind it are not run. */
export type Chain = { readonly id: string; failed: boolean }

export type FramedShell = {
  /**
   * As `Transport.run`. A run is sent without waiting for the answers of those before it, and done after them; its
   * timeout counts from their end. In a chain that has failed it rejects with code `not-run`.
   */
  run(script: string, options?: RunOptions, chain?: Chain): Promise<RunResult>
  chain(): Chain
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
  /** Configured limit of the whole connection, in milliseconds, as a refusal names it. */
  readonly timeout: number
  /** Milliseconds of it that are left for the loop to get ready; absent: all. */
  readonly left?: number
  readonly random: (bytes: number) => Buffer
}

/** Waits for the loop to be ready, skipping what the login printed before. Never rejects. */
export async function openFramedShell(options: ShellOptions): Promise<Opened> {
  const { streams, nonce, timeout, left = timeout } = options
  const answers = readAnswers(streams)
  const outcome = await answers.expect({
    marker: nonce,
    cap: 64 * 1024,
    lines: lineCap,
    patience,
    timeout: left,
  })
  if (outcome.kind === 'done') return { ready: true, shell: framedShell(options, answers) }
  const why = outcome.kind === 'gone' ? outcome.why : `no answer within ${timeout / 1000} s`
  return { ready: false, said: outcome.said, why, timedOut: outcome.kind !== 'gone' }
}

function framedShell({ host, streams, random }: ShellOptions, answers: Answers): FramedShell {
  let sent: Promise<unknown> = Promise.resolve()

  const send = (script: string, options: RunOptions, chain: Chain | undefined) => {
    const id = random(16).toString('hex')
    const data = bytesOf(options.stdin)
    const head = frameHead({ id, script, dataLength: data.length, chain: chain?.id })
    const whole = data.length < onePacket ? [Buffer.concat([head, data])] : [head, data]
    const parts = answers.over() ? [] : whole
    const timeout = options.timeout ?? defaultTimeout
    const answer = answers.expect({ marker: id, cap: outputCap, lines: lineCap, patience, timeout })
    return { answer, fed: feed({ stream: streams.stdin, parts, over: answer }), timeout }
  }

  const run: FramedShell['run'] = async (script, options = {}, chain) => {
    const turn = sent.then(() => (chain?.failed === true ? undefined : send(script, options, chain)))
    sent = turn.then((frame) => frame?.fed)
    const frame = await turn
    if (frame === undefined) throw notRun(host)
    let failed = true
    try {
      const result = resultOf(await frame.answer, frame.timeout)
      failed = result.code !== 0
      return result
    } finally {
      if (chain !== undefined && failed) chain.failed = true
    }
  }

  const resultOf = (outcome: Outcome, timeout: number): RunResult => {
    if (outcome.kind === 'gone') throw lost(host, outcome.why)
    if (outcome.kind !== 'done') {
      streams.cut()
      throw outcome.kind === 'flood' ? tooMuchOutput(host, patience) : tooLate(host, timeout)
    }
    const { stdout, stderr } = outcome
    if (stdout.rest === 'skipped') throw notRun(host)
    if (stdout.isCut || stderr.isCut) throw tooMuchOutput(host, Math.max(stdout.length, stderr.length))
    if (!/^\d{1,3}$/.test(stdout.rest)) throw badAnswer(host)
    return {
      code: Number(stdout.rest),
      stdout: new HostText(stdout.output.toString('utf8')),
      stderr: new HostText(stderr.output.toString('utf8')),
    }
  }

  return { run, chain: () => ({ id: random(8).toString('hex'), failed: false }) }
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
    fix: 'Check that the host is up and reachable, then run the same command again: it resumes.',
  })

const tooLate = (host: string, timeout: number): TransportError =>
  new TransportError({
    host,
    code: 'timeout',
    message: `a script on ${host} did not end within ${timeout / 1000} s; it may still be running there`,
    fix: 'See what keeps the host busy (load, a full disk, a network file system), then run the command again.',
  })

const tooMuchOutput = (host: string, bytes: number): TransportError =>
  new TransportError({
    host,
    code: 'too-much-output',
    message: `a script on ${host} wrote more than ${bytes > outputCap ? `${outputCap / 1024 / 1024} MiB` : `${lineCap} lines`}`,
    fix: 'Something on the host prints without end, such as a login script or a broken service: see what it says.',
  })

const badAnswer = (host: string): TransportError =>
  new TransportError({
    host,
    code: 'bad-answer',
    message: `what ${host} answered to a script has no exit code`,
    fix: 'Something on the host answers in place of its sh: see what the login shell and its startup files do.',
  })

/** Told to nobody but the one who sent the chain: the failure before it is what counts. */
const notRun = (host: string): TransportError =>
  new TransportError({
    host,
    code: 'not-run',
    message: `a script was not run on ${host}, since one before it failed`,
    fix: 'Fix the failure before it.',
  })
