import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUncommitted } from '../../../src/components/provision/binaryLog.ts'
import { binaryLog, type LogPart, source, transaction } from '../../support/binaryLog.ts'

async function* pieces(log: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < log.length; at += size) yield log.subarray(at, at + size)
}

/** Transactions up to this number are committed. */
const find = (log: Buffer, { committed = 2, size = 1 << 16 } = {}) =>
  findUncommitted(pieces(log, size), (gtid) => Number(gtid.split(':')[1]) <= committed)
const before: readonly LogPart[] = [...transaction(1), ...transaction(2)]

describe('findUncommitted', () => {
  it('finds where the first transaction begins that was not committed, and all after it', async () => {
    const log = binaryLog([...before, ...transaction(3), ...transaction(4)])
    const found = await find(log)
    expect(found).toEqual({ at: binaryLog(before).length, gtids: [`${source}:3`, `${source}:4`] })
  })

  it('finds the same in pieces of any size', async () => {
    const log = binaryLog([...before, ...transaction(3, 500)])
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: log.length }), async (size) => {
        expect(await find(log, { size })).toEqual({ at: binaryLog(before).length, gtids: [`${source}:3`] })
      }),
    )
  })

  it('finds nothing where all was committed', async () => {
    expect(await find(binaryLog(before))).toBeUndefined()
    expect(await find(binaryLog([]))).toBeUndefined()
  })

  it.each<[string, readonly LogPart[]]>([
    ['a statement that changes tables', [{ gtid: 3 }, { type: 2 }, ...transaction(4)]],
    ['one that changes tables at the end', [{ gtid: 3 }, { type: 2 }]],
    ['a compressed transaction', [{ gtid: 3 }, { type: 40 }]],
    ['a prepared transaction of XA', [{ gtid: 3 }, { type: 2 }, { type: 38 }]],
    ['a tagged GTID', [...transaction(3), { type: 42 }, { type: 2 }, { type: 16 }]],
    ['an anonymous transaction', [...transaction(3), { type: 34 }, { type: 2 }, { type: 16 }]],
    ['the begin of another log', [...transaction(3), { type: 4 }]],
    ['the proper end of the server', [...transaction(3), { type: 3 }]],
    ['a transaction that was committed', [...transaction(3), ...transaction(1)]],
    ['a transaction without an end', [...transaction(3), { gtid: 4 }, { type: 2 }, { type: 30 }]],
    ['a GTID that is too short', [{ type: 33, length: 5 }, { type: 2 }, { type: 16 }]],
  ])('takes nothing back that has %s', async (_what, after) => {
    expect(await find(binaryLog([...before, ...after]))).toBeUndefined()
  })

  it('takes nothing back from a log that was closed, was cut off or is another file', async () => {
    const parts = [...before, ...transaction(3)]
    expect(await find(binaryLog(parts, { isInUse: false }))).toBeUndefined()
    const log = binaryLog(parts)
    const begin = binaryLog(before).length
    for (let length = 0; length < log.length; length += 1) {
      if (length === begin) continue
      expect(await find(log.subarray(0, length)), `${length} bytes`).toBeUndefined()
    }
    expect(
      await find(Buffer.concat([Buffer.from([0xfd, 0x62, 0x69, 0x6e]), log.subarray(4)])),
    ).toBeUndefined()
    expect(await find(Buffer.concat([log, Buffer.alloc(19)]))).toBeUndefined()
    expect(
      await find(Buffer.from('not a log at all, but a text that somebody has put there')),
    ).toBeUndefined()
  })
})
