/** Bytes from outside, in one buffer that grows as they arrive. */
export type BoundedBytes = {
  /** Keeps as much of the chunk as fits. */
  push(chunk: Buffer): void
  readonly length: number
  bytes(): Buffer
}

const smallest = 4096

/** Keeps at most `most` bytes. Copies the chunks, so that many small ones do not cost extra memory. */
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
