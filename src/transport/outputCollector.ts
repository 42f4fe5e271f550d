import { boundedBytes } from '../base/boundedBytes.ts'

export type Collected = {
  /** What came before the marker, at most `cap` bytes and `lines` lines of it. */
  readonly output: Buffer
  /** Bytes that came before the marker. */
  readonly length: number
  /** Not all that came was kept. */
  readonly isCut: boolean
  /** What stood behind the marker on its line. */
  readonly rest: string
  /** What came behind that line. */
  readonly behind: Buffer
}

export type OutputCollector = {
  /** Takes bytes as they come; the answer once the marker's line is complete. */
  push(chunk: Buffer): Collected | undefined
  /** Bytes so far that are certainly not the marker. */
  readonly length: number
  /** What there is without a marker, for a stream that ended before it. */
  soFar(): Buffer
}

const lineFeed = 0x0a

/** Bytes that may stand behind the marker on its line: an exit code. A longer line is no answer. */
const longestRest = 64

/**
 * Collects one stream of one run up to a line that begins with `marker`, keeping at most `cap` bytes and `lines` lines:
 * who reads it makes a value of each line, and a line of nothing is one byte.
 */
export function collectOutput(options: {
  readonly marker: string
  readonly cap: number
  readonly lines: number
}): OutputCollector {
  const marker = Buffer.from(`\n${options.marker}`)
  const kept = boundedBytes(options.cap)
  let left = options.lines
  let length = 0
  let undecided: Buffer = Buffer.alloc(0)

  const take = (bytes: Buffer): void => {
    length += bytes.length
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

  const push = (chunk: Buffer): Collected | undefined => {
    let bytes = undecided.length === 0 ? chunk : Buffer.concat([undecided, chunk])
    for (;;) {
      const start = bytes.indexOf(marker)
      const sure = start === -1 ? Math.max(0, bytes.length - marker.length + 1) : start
      take(bytes.subarray(0, sure))
      undecided = bytes.subarray(sure)
      if (start === -1) return undefined
      const end = undecided.indexOf(lineFeed, marker.length)
      if (end === -1 && undecided.length <= marker.length + longestRest) return undefined
      if (end !== -1 && end <= marker.length + longestRest) {
        const rest = undecided.toString('latin1', marker.length, end).trim()
        const isCut = kept.length < length
        return { output: kept.bytes(), length, isCut, rest, behind: undecided.subarray(end + 1) }
      }
      // No line of ours: its end might never come.
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
