export type Collected = {
  /** What came before the marker, at most `cap` bytes of it. */
  readonly output: Buffer
  /** Bytes that came before the marker. */
  readonly length: number
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

/** Collects one stream of one run up to a line that begins with `marker`, keeping at most `cap` bytes. */
export function collectOutput(options: { readonly marker: string; readonly cap: number }): OutputCollector {
  const marker = Buffer.from(`\n${options.marker}`)
  const kept: Buffer[] = []
  let keptLength = 0
  let length = 0
  let undecided: Buffer = Buffer.alloc(0)

  const take = (bytes: Buffer): void => {
    const part = bytes.subarray(0, Math.max(0, options.cap - keptLength))
    if (part.length > 0) kept.push(part)
    keptLength += part.length
    length += bytes.length
  }

  const push = (chunk: Buffer): Collected | undefined => {
    const bytes = undecided.length === 0 ? chunk : Buffer.concat([undecided, chunk])
    const start = bytes.indexOf(marker)
    const sure = start === -1 ? Math.max(0, bytes.length - marker.length + 1) : start
    take(bytes.subarray(0, sure))
    undecided = bytes.subarray(sure)
    if (start === -1) return undefined
    const end = undecided.indexOf('\n', marker.length)
    if (end === -1) return undefined
    const rest = undecided.toString('latin1', marker.length, end).trim()
    return { output: Buffer.concat(kept), length, rest, behind: undecided.subarray(end + 1) }
  }

  return {
    push,
    get length() {
      return length
    },
    soFar: () => Buffer.concat([...kept, undecided]),
  }
}
