import type { Writable } from 'node:stream'
import { HostText } from '../../base/hostText.ts'
import { Secret } from '../../secrets/secret.ts'
import type { FollowOptions, RunOptions, RunResult } from '../transport.ts'
import { TransportError } from '../transportError.ts'
import { type ResponseOutcome, type Responses, readResponses, type ShellStreams } from './responses.ts'

/**
 * The loop that a host's sh runs for the whole connection. It prints `nonce` on both streams when it is
 * ready, which separates the login's own output. Then it reads frames:
 *
 *     ID SCRIPT-BYTES DATA-BYTES CHAIN\n SCRIPT DATA
 *
 * It runs SCRIPT in a subshell with DATA on standard input, and ends both streams with a line of ID, on
 * standard output followed by the exit code. Frames may arrive before earlier ones are done. After a failure
 * in a CHAIN its later frames are `skipped`. A script cut short by a broken connection lacks its last line
 * `#ID` and never runs. The loop ends with its input.
 *
 * dd, unlike head, never reads more than it should, on every kind of host (GNU, uutils, BusyBox). Single
 * quotes and `!` do not occur, so that any login shell passes the loop on unchanged.
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
 * Builds the line that starts the loop from any login shell. With `prompt`, which is hexadecimal, sudo prints
 * it on standard error and reads a password from standard input, if it needs one.
 */
export function remoteCommand(options: {
  readonly nonce: string
  readonly sudo: boolean
  readonly prompt?: string | undefined
}): string {
  const { nonce, sudo, prompt } = options
  const how = prompt === undefined ? '-n' : `-S -p ${prompt}`
  // Messages of sudo are recognized in English.
  return `exec ${sudo ? `env LC_ALL=C sudo ${how} ` : ''}sh -c '${loop(nonce)}'`
}

/**
 * Builds the start of a frame; `dataLength` bytes of data follow it. Without a chain, the frame is a chain of
 * its own.
 */
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
 * Writes `parts` one after another and respects backpressure. Resolves when all is written or `over` has
 * settled; the caller handles stream errors.
 */
async function writeParts(options: {
  readonly stream: Writable
  readonly parts: readonly Buffer[]
  /** Settles when the reader has ended; never rejects. */
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

/** Bytes kept of each output stream of one run. */
const outputCap = 8 * 1024 * 1024
/** Lines kept of each stream: more than any script prints, and few enough to hold as values. */
const lineCap = 50_000
const floodLimit = 256 * 1024 * 1024
const defaultTimeout = 60_000
/** Bytes of standard error kept of a script that is followed. */
const followCap = 64 * 1024
/** Bytes up to which script and data are sent as one packet. */
const packetLimit = 24 * 1024

/** Dependent runs: after a non-zero exit the later ones are skipped. */
export type Chain = { readonly id: string; failed: boolean }

export type FramedShell = {
  /**
   * As `Transport.run`. A run is sent without waiting for earlier responses and runs after them; its timeout
   * starts when they end. In a failed chain it rejects with code `not-run`.
   */
  run(script: string, options?: RunOptions, chain?: Chain): Promise<RunResult>
  /** As `Transport.follow`. */
  follow(script: string, options: FollowOptions): Promise<Omit<RunResult, 'stdout'>>
  chain(): Chain
}

/** The shell, or the output that came instead of its ready line and the reason. */
type OpenedShell =
  | { readonly ready: true; readonly shell: FramedShell }
  | { readonly ready: false; readonly said: string; readonly why: string; readonly timedOut: boolean }

type ShellOptions = {
  readonly host: string
  readonly streams: ShellStreams
  /** The nonce that the loop was started with. */
  readonly nonce: string
  /** Configured limit of the whole connection, in milliseconds, for messages. */
  readonly timeout: number
  /** Milliseconds that remain for the loop to get ready; absent: all. */
  readonly left?: number
  readonly random: (bytes: number) => Buffer
}

/** Waits until the loop is ready and skips the login's own output. Never rejects. */
export async function openFramedShell(options: ShellOptions): Promise<OpenedShell> {
  const { streams, nonce, timeout, left = timeout } = options
  const answers = readResponses(streams)
  const outcome = await answers.expect({
    marker: nonce,
    cap: 64 * 1024,
    lines: lineCap,
    floodLimit: floodLimit,
    timeout: left,
  })
  if (outcome.kind === 'done') return { ready: true, shell: framedShell(options, answers) }
  const why = outcome.kind === 'gone' ? outcome.why : `no answer within ${timeout / 1000} s`
  return { ready: false, said: outcome.said, why, timedOut: outcome.kind !== 'gone' }
}

function framedShell({ host, streams, random }: ShellOptions, answers: Responses): FramedShell {
  let sent: Promise<unknown> = Promise.resolve()

  const send = (script: string, options: RunOptions, chain: Chain | undefined) => {
    const id = random(16).toString('hex')
    const data = bytesOf(options.stdin)
    const head = frameHead({ id, script, dataLength: data.length, chain: chain?.id })
    const whole = data.length < packetLimit ? [Buffer.concat([head, data])] : [head, data]
    const parts = answers.over() ? [] : whole
    const timeout = options.timeout ?? defaultTimeout
    const answer = answers.expect({
      marker: id,
      cap: outputCap,
      lines: lineCap,
      floodLimit: floodLimit,
      timeout,
    })
    return { answer, fed: writeParts({ stream: streams.stdin, parts, over: answer }), timeout }
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

  const follow: FramedShell['follow'] = async (script, { onOutput, signal }) => {
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const turn = sent.then(() => {
      const id = random(16).toString('hex')
      const limits = { cap: followCap, lines: lineCap, floodLimit: Number.POSITIVE_INFINITY }
      const answer = answers.expect({ marker: id, ...limits, onOutput })
      const write = (part: Buffer): Promise<void> =>
        writeParts({ stream: streams.stdin, parts: answers.over() ? [] : [part], over: answer })
      // The byte that a loop of frames counts as data reaches the script late, and tells it to end.
      const fed = write(frameHead({ id, script, dataLength: 1 }))
        .then(() => Promise.race([stopped, answer]))
        .then(() => write(Buffer.from('\n')))
      return { answer, fed }
    })
    sent = turn.then((frame) => frame.fed)
    const { code, stderr } = resultOf(await (await turn).answer, Number.POSITIVE_INFINITY)
    return { code, stderr }
  }

  const resultOf = (outcome: ResponseOutcome, timeout: number): RunResult => {
    if (outcome.kind === 'gone') throw connectionEnded(host, outcome.why)
    if (outcome.kind !== 'done') {
      streams.destroy()
      throw outcome.kind === 'flood' ? tooMuchOutput(host, floodLimit) : timedOut(host, timeout)
    }
    const { stdout, stderr } = outcome
    if (stdout.rest === 'skipped') throw notRun(host)
    if (stdout.isCut || stderr.isCut) throw tooMuchOutput(host, Math.max(stdout.length, stderr.length))
    if (!/^\d{1,3}$/.test(stdout.rest)) throw malformedResponse(host)
    return {
      code: Number(stdout.rest),
      stdout: new HostText(stdout.output.toString('utf8')),
      stderr: new HostText(stderr.output.toString('utf8')),
    }
  }

  return { run, follow, chain: () => ({ id: random(8).toString('hex'), failed: false }) }
}

function bytesOf(stdin: RunOptions['stdin']): Buffer {
  if (stdin instanceof Secret) return Buffer.from(stdin.reveal())
  return Buffer.isBuffer(stdin) ? stdin : Buffer.from(stdin ?? '')
}

const connectionEnded = (host: string, why: string): TransportError =>
  new TransportError({
    host,
    code: 'connection-lost',
    message: `the connection to ${host} was lost: ${why}`,
    fix: 'Check that the host is up and reachable, then run the same command again: it resumes.',
  })

const timedOut = (host: string, timeout: number): TransportError =>
  new TransportError({
    host,
    code: 'timeout',
    message: `a script on ${host} timed out after ${timeout / 1000} s; it may still be running there`,
    fix: 'Check what keeps the host busy (load, a full disk, a network file system), then run the command again.',
  })

const tooMuchOutput = (host: string, bytes: number): TransportError =>
  new TransportError({
    host,
    code: 'too-much-output',
    message: `a script on ${host} wrote more than ${bytes > outputCap ? `${outputCap / 1024 / 1024} MiB` : `${lineCap} lines`}`,
    fix: 'Find out what prints without end on the host, such as a login script or a broken service.',
  })

const malformedResponse = (host: string): TransportError =>
  new TransportError({
    host,
    code: 'bad-answer',
    message: `the response of ${host} to a script has no exit code`,
    fix: 'Check the login shell on the host and its startup files: something answers in place of sh.',
  })

/** Only the owner of the chain sees this error; the failure before it is what counts. */
const notRun = (host: string): TransportError =>
  new TransportError({
    host,
    code: 'not-run',
    message: `a script on ${host} was skipped because an earlier one failed`,
    fix: 'Fix the earlier failure.',
  })
