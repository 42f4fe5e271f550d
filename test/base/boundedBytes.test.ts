import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundedBytes } from '../../src/base/boundedBytes.ts'

describe('bytes that come from elsewhere', () => {
  it('are kept in their order up to the bound, however they are cut', () => {
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

  it('cost no more than twice their number when a million come one by one', () => {
    const kept = boundedBytes(1024 * 1024)
    const before = process.memoryUsage()
    for (let count = 0; count < 1024 * 1024; count += 1) kept.push(Buffer.from([count & 0xff]))
    expect(kept.length).toBe(1024 * 1024)
    expect(kept.bytes().buffer.byteLength).toBeLessThanOrEqual(2 * 1024 * 1024)
    expect(process.memoryUsage().external - before.external).toBeLessThan(16 * 1024 * 1024)
  })
})
