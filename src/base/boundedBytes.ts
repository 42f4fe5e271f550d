/** Bytes that come from elsewhere, in one buffer that grows with them. */
export type BoundedBytes = {
  /** Keeps as much of the chunk as there is room for. */
  push(chunk: Buffer): void
  /** Bytes that are kept. */
  readonly length: number
  bytes(): Buffer
}

const smallest = 4096

/** Keeps at most `most` bytes. The chunks themselves are not held, so that a sender of tiny ones costs no more. */
export function boundedBytes(most: number): BoundedBytes {
  let kept = Buffer.alloc(0)
  let length = 0
  return {
    push: (chunk) => {
      const part = chunk.subarray(0, most - length)
      if (length + part.length > kept.length) {
        const size = Math.min(most, Math.max(smallest, kept.length * 2, length + part.length))
        const larger = Buffer.allocUnsafeSlow(size)
        kept.copy(larger, 0, 0, length)
        kept = larger
      }
      length += part.copy(kept, length)
    },
    get length() {
      return length
    },
    bytes: () => kept.subarray(0, length),
  }
}
