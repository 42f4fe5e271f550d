import type { Writable } from 'node:stream'
import { HostText } from '../../base/hostText.ts'
import { Secret } from '../../secrets/secret.ts'
import type { RunOptions, RunResult } from '../transport.ts'
import { TransportError } from '../transportError.ts'
import { type Answers, type Outcome, readAnswers, type ShellStreams } from './exchange.ts'

/**
 * The loop that a host's sh runs for the whole connection. It says `nonce` on both streams when it is
 * ready, so that whatever a login printed before is known for what it is. Then it reads frames:
 *
 *     ID SCRIPT-BYTES DATA-BYTES CHAIN\n SCRIPT DATA
 *
 * runs SCRIPT in a subshell with DATA on standard input, and ends both streams of the answer with a line
 * of ID, on standard output followed by the exit code. Frames may come before earlier ones are answered; those
 * of a CHAIN in which one has failed are `skipped`. A script cut short by a lost connection lacks its
 * last line `#ID` and never runs. The loop ends when its input ends.
 *
 * dd, unlike head, never reads further than it was told, on every kind of host (GNU, uutils, BusyBox).
 * Neither single quotes nor `!` occur, so that any login shell hands it on unread.
 */
const loop = (nonce: string): string =>
  [
    'PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin',
    'LC_ALL=C',
    'export PATH LC_ALL',
    'umask 077',
    // To start a program costs a host about 2 ms.
    't() { [ "$1" = 0 ] || dd bs=65536 count="$1" iflag=fullblock,count_bytes 2>/dev/null; }',
    `printf "\\n%s\\n" ${nonce}`,
    `printf "\\n%s\\n" ${nonce} >&2`,
    'a() { printf "\\n%s %s\\n" "$i" "$1"; printf "\\n%s\\n" "$i" >&2; }',
    'f=; while IFS=" " read -r i n d c; do s=$(t "$n")',
    'case $s in *"#$i") ;; *) exit 1 ;; esac',
    'case $c in "$f") t "$d" >/dev/null; a skipped; continue ;; esac',
    't "$d" | { ( eval "$s" ); r=$?; [ "$d" = 0 ] || cat >/dev/null; a "$r"; [ "$r" = 0 ]; }',
    // Not behind ||, which would take set -e from the script.
    'case $? in 0) ;; *) f=$c ;; esac',
    'done',
  ].join('; ')

/** The arguments of sh that start the loop; `nonce` is hexadecimal. */
export const loopArguments = (nonce: string): readonly ['-c', string] => ['-c', loop(nonce)]

/**
 * The one line that starts the loop from whatever login shell a user has. With `prompt`, which is hexadecimal,
 * sudo asks with it on standard error for a password on standard input, where it wants one.
 */
export function remoteCommand(options: {
  readonly nonce: string
  readonly sudo: boolean
  readonly prompt?: string | undefined
}): string {
  const { nonce, sudo, prompt } = options
  const how = prompt === undefined ? '-n' : `-S -p ${prompt}`
  // What sudo says is understood here in English.
  return `exec ${sudo ? `env LC_ALL=C sudo ${how} ` : ''}sh -c '${loop(nonce)}'`
}

/** The start of a frame; `dataLength` bytes of data follow it. One without a chain is a chain of its own. */
function frameHead(options: {
  readonly id: string
  readonly script: string
  readonly dataLength: number
  readonly chain?: string | undefined
}): Buffer {
  const { id, dataLength, chain = id } = options
  const script = Buffer.from(`${options.script}\n#${id}`)
  return Buffer.concat([Buffer.from(`${id} ${script.length} ${dataLength} ${chain}\n`), script])
}

const sliceLength = 256 * 1024

/**
 * Writes `parts` one after another, never more than the stream has room for. Resolves when all is handed
 * over or `over` has settled; errors of the stream are its owner's business.
 */
async function feed(options: {
  readonly stream: Writable
  readonly parts: readonly Buffer[]
  /** Settles when nothing will be read any more; never rejects. */
  readonly over: Promise<unknown>
}): Promise<void> {
  const { stream, parts } = options
  let stopped = false
  const over = options.over.then(() => {
    stopped = true
  })
  for (const part of parts) {
    for (let start = 0; start < part.length && !stopped; start += sliceLength) {
      if (stream.write(part.subarray(start, start + sliceLength))) continue
      await Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), over])
    }
  }
}

/** Bytes of each output stream of one run that are kept. */
const outputCap = 8 * 1024 * 1024
/** Lines of each that are kept: far more than any script prints, and few enough to hold them as values. */
const lineCap = 50_000
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
type Opened =
  | { readonly ready: true; readonly shell: FramedShell }
  | { readonly ready: false; readonly said: string; readonly why: string; readonly timedOut: boolean }

type ShellOptions = {
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
