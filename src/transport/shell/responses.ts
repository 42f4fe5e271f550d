import type { Readable, Writable } from 'node:stream'
import { boundedBytes } from '../../base/boundedBytes.ts'

type CollectedOutput = {
  /** Output before the marker, cut to `cap` bytes and `lines` lines. */
  readonly output: Buffer
  /** Bytes before the marker. */
  readonly length: number
  /** Some output was dropped. */
  readonly isCut: boolean
  /** Text after the marker on its line. */
  readonly rest: string
  /** Bytes after that line. */
  readonly behind: Buffer
}

type OutputCollector = {
  /** Takes the next bytes; returns the result once the marker's line is complete. */
  push(chunk: Buffer): CollectedOutput | undefined
  /** Bytes so far that cannot be part of the marker. */
  readonly length: number
  /** Returns the output of a stream that ended without a marker. */
  soFar(): Buffer
}

const lineFeed = 0x0a

/** Bytes that may follow the marker on its line: an exit code. A longer line is no marker. */
const maxRest = 64

/**
 * Collects one stream of one run up to a line that begins with `marker`. Keeps at most `cap` bytes and
 * `lines` lines: callers make a value of each line, and an empty line is one byte.
 */
export function collectOutput(options: {
  readonly marker: string
  readonly cap: number
  readonly lines: number
  /** Takes the output as it arrives; nothing of it is kept. */
  readonly onOutput?: (bytes: Buffer) => void
}): OutputCollector {
  const marker = Buffer.from(`\n${options.marker}`)
  const kept = boundedBytes(options.cap)
  let left = options.lines
  let length = 0
  let undecided: Buffer = Buffer.alloc(0)

  const take = (bytes: Buffer): void => {
    length += bytes.length
    if (options.onOutput !== undefined) {
      if (bytes.length > 0) options.onOutput(bytes)
      return
    }
    let end = -1
    while (left > 0) {
      end = bytes.indexOf(lineFeed, end + 1)
      if (end === -1) {
        kept.push(bytes)
        return
      }
      left -= 1
      if (left === 0) kept.push(bytes.subarray(0, end + 1))
    }
  }

  /** Returns the number of bytes before what may be the beginning of the marker. */
  const withoutBegunMarker = (bytes: Buffer): number => {
    // The only line feed of a marker is its first byte.
    const start = bytes.lastIndexOf(lineFeed)
    const begun = bytes.subarray(start)
    const fits = begun.length < marker.length && marker.subarray(0, begun.length).equals(begun)
    return start !== -1 && fits ? start : bytes.length
  }

  const push = (chunk: Buffer): CollectedOutput | undefined => {
    let bytes = undecided.length === 0 ? chunk : Buffer.concat([undecided, chunk])
    for (;;) {
      const start = bytes.indexOf(marker)
      const sure = start === -1 ? withoutBegunMarker(bytes) : start
      take(bytes.subarray(0, sure))
      undecided = bytes.subarray(sure)
      if (start === -1) return undefined
      const end = undecided.indexOf(lineFeed, marker.length)
      if (end === -1 && undecided.length <= marker.length + maxRest) return undefined
      if (end !== -1 && end <= marker.length + maxRest) {
        const rest = undecided.toString('latin1', marker.length, end).trim()
        const isCut = options.onOutput === undefined && kept.length < length
        return { output: kept.bytes(), length, isCut, rest, behind: undecided.subarray(end + 1) }
      }
      // Not a marker: its line might never end.
      take(undecided.subarray(0, marker.length))
      bytes = undecided.subarray(marker.length)
    }
  }

  return {
    push,
    get length() {
      return length
    },
    soFar: () => Buffer.concat([kept.bytes(), undecided]),
  }
}

/** Streams of a child or channel whose sh runs the loop of `shellLoop`. */
export type ShellStreams = {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves with the reason, in words, when the other side has ended; never rejects. */
  readonly ended: Promise<string>
  /** Closes the connection at once. */
  readonly destroy: () => void
}

/** Result of waiting for a marker on both streams; `said` is the output so far. */
export type ResponseOutcome =
  | { readonly kind: 'done'; readonly stdout: CollectedOutput; readonly stderr: CollectedOutput }
  | { readonly kind: 'gone'; readonly why: string; readonly said: string }
  | { readonly kind: 'timeout' | 'flood'; readonly said: string }

type ExpectedResponse = {
  readonly marker: string
  /** Bytes and lines kept of each stream. */
  readonly cap: number
  readonly lines: number
  /** Bytes of a stream after which reading stops: `flood`. */
  readonly floodLimit: number
  /** Milliseconds, counted from the end of the previous response; absent: no limit. */
  readonly timeout?: number
  /** Takes standard output as it arrives; nothing of it is kept. */
  readonly onOutput?: (bytes: Buffer) => void
}

/** Responses of a shell, one after another. */
export type Responses = {
  /** Waits for the next response. Never rejects. */
  expect(wanted: ExpectedResponse): Promise<ResponseOutcome>
  /** Returns true if no more responses will come. */
  over(): boolean
}

/** One stream of a response. */
type Side = { readonly collector: OutputCollector; done?: CollectedOutput }

type Waiting = {
  readonly wanted: ExpectedResponse
  readonly out: Side
  readonly err: Side
  readonly settle: (outcome: ResponseOutcome) => void
  timer?: NodeJS.Timeout
}

const sides = ['out', 'err'] as const

const errorsOf = ({ onOutput: _, ...wanted }: ExpectedResponse): ExpectedResponse => wanted

/**
 * Reads the responses of a shell in the order in which they are expected. Ignores output while none is
 * expected: it belongs to a background process. Stops at the first outcome other than `done`.
 */
export function readResponses(streams: ShellStreams): Responses {
  const queue: Waiting[] = []
  let why: string | undefined

  const said = ({ out, err }: Waiting): string =>
    [err, out]
      .map(({ collector }) => collector.soFar().toString('utf8').trim())
      .filter((text) => text !== '')
      .join('\n')

  /** All pending responses fail with the first one: its remaining output cannot be told apart from theirs. */
  const end = (kind: 'gone' | 'timeout' | 'flood'): void => {
    why ??= 'it was closed after a script that did not end'
    for (const [index, waiting] of queue.splice(0).entries()) {
      clearTimeout(waiting.timer)
      const facts = { said: said(waiting) }
      waiting.settle(index > 0 || kind === 'gone' ? { kind: 'gone', why, ...facts } : { kind, ...facts })
    }
  }

  const startTimer = (): void => {
    const [first] = queue
    if (first === undefined || first.timer !== undefined) return
    const { timeout } = first.wanted
    if (timeout !== undefined) first.timer = setTimeout(() => end('timeout'), timeout)
  }

  const settleComplete = (): void => {
    for (;;) {
      const [first] = queue
      if (first === undefined) return
      const { out, err, wanted } = first
      if (out.done === undefined || err.done === undefined) {
        if (Math.max(out.collector.length, err.collector.length) > wanted.floodLimit) end('flood')
        return
      }
      clearTimeout(first.timer)
      queue.shift()
      startTimer()
      first.settle({ kind: 'done', stdout: out.done, stderr: err.done })
    }
  }

  const onData = (which: (typeof sides)[number]) => (chunk: Buffer) => {
    let bytes = chunk
    // One stream may be further than the other.
    for (const waiting of queue) {
      const side = waiting[which]
      if (side.done !== undefined) continue
      const done = side.collector.push(bytes)
      if (done === undefined) break
      side.done = done
      bytes = done.behind
    }
    settleComplete()
  }

  streams.stdout.on('data', onData('out'))
  streams.stderr.on('data', onData('err'))
  streams.ended.then((reason) => {
    why ??= reason
    end('gone')
  })

  return {
    expect: (wanted) =>
      new Promise((settle) => {
        if (why !== undefined) return settle({ kind: 'gone', why, said: '' })
        queue.push({
          wanted,
          out: { collector: collectOutput(wanted) },
          err: { collector: collectOutput(errorsOf(wanted)) },
          settle,
        })
        startTimer()
      }),
    over: () => why !== undefined,
  }
}
