import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundedBytes } from '../../src/base/boundedBytes.ts'

describe('boundedBytes', () => {
  it('keeps bytes in order up to the limit, however they are split', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20_000 })), fc.nat(30_000), (chunks, most) => {
        const kept = boundedBytes(most)
        for (const chunk of chunks) kept.push(Buffer.from(chunk))
        const all = Buffer.concat(chunks).subarray(0, most)
        expect(kept.bytes().equals(all)).toBe(true)
        expect(kept.length).toBe(all.length)
      }),
      { numRuns: 50 },
    )
  })

  it('needs at most twice the memory of a million single bytes', () => {
    const kept = boundedBytes(1024 * 1024)
    const before = process.memoryUsage()
    for (let count = 0; count < 1024 * 1024; count += 1) kept.push(Buffer.from([count & 0xff]))
    expect(kept.length).toBe(1024 * 1024)
    expect(kept.bytes().buffer.byteLength).toBeLessThanOrEqual(2 * 1024 * 1024)
    expect(process.memoryUsage().external - before.external).toBeLessThan(16 * 1024 * 1024)
  })
})
