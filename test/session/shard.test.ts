import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/usageError.ts'
import { isInShard, parseShard } from '../../src/session/shard.ts'

const names = Array.from({ length: 3000 }, (_, index) => `db${index}.example.com`)

describe('a shard of the hosts', () => {
  it.each(['0/5', '6/5', '2', '2/', '/5', '2/5/7', '-1/5', '1.5/5', '1/1001', 'a/b', '', ' 1/2'])(
    'is refused as %j, with one message',
    (text) => {
      expect(() => parseShard(text)).toThrow(UsageError)
      expect(() => parseShard(text)).toThrow(
        `--shard ${text} is not a part K/N with K from 1 to N and N at most 1000.`,
      )
    },
  )

  it('has each host in exactly one of the parts', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1000 }), (name, count) => {
        const parts = Array.from({ length: count }, (_, index) => ({ index: index + 1, count }))
        expect(parts.filter((shard) => isInShard(name, shard))).toHaveLength(1)
      }),
      { numRuns: 50 },
    )
  })

  it('is about as large as the others', () => {
    const sizes = [1, 2, 3, 4, 5].map(
      (index) => names.filter((name) => isInShard(name, parseShard(`${index}/5`))).length,
    )
    expect(sizes.reduce((sum, size) => sum + size)).toBe(names.length)
    for (const size of sizes) expect(Math.abs(size - 600)).toBeLessThan(120)
  })

  it('never changes from one version of muster to the next', () => {
    const shardOf = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => index + 1).find((index) =>
        isInShard(name, { index, count }),
      )
    expect(['db1', 'db2', 'db3', 'db4', 'db5'].map((name) => shardOf(name, 5))).toEqual([3, 5, 4, 3, 3])
    expect(['db1', 'db2', 'db3', 'db4', 'db5'].map((name) => shardOf(name, 2))).toEqual([1, 2, 1, 2, 1])
  })
})
