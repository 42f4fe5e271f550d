import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { opened, sealed, streamKey } from '../../../src/components/provision/sealedStream.ts'
import type { Secret } from '../../../src/secrets/secret.ts'

const newKey = (): Secret => {
  const key = streamKey(randomBytes(32).toString('hex'))
  if (!key) throw new Error('no key')
  return key
}

const seal = (key: Secret, chunks: readonly Uint8Array[]): Promise<Buffer> =>
  buffer(Readable.from(chunks.map((it) => Buffer.from(it))).pipe(sealed(key)))

/** Opens bytes that arrive in pieces of that size; rejects as the stream does. */
async function open(key: Secret, bytes: Buffer, piece = bytes.length): Promise<Buffer> {
  const size = Math.max(1, piece)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
  const stream = opened(key)
  const [all] = await Promise.all([buffer(stream), pipeline(Readable.from(pieces), stream)])
  return all
}

describe('a sealed stream', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 })

  it('gives back what was sealed, in whatever pieces it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 300 }), async (given, piece) => {
        const key = newKey()
        const all = await open(key, await seal(key, given), piece)
        expect(all.equals(Buffer.concat(given))).toBe(true)
      }),
    )
  })

  it('is none where a byte of it was changed, or it broke off anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(), fc.boolean(), async (given, place, isCut) => {
        const key = newKey()
        const bytes = await seal(key, given)
        const at = place % bytes.length
        const changed = isCut ? bytes.subarray(0, at) : Buffer.from(bytes)
        if (!isCut) changed[at] = (changed[at] ?? 0) ^ 1
        await expect(open(key, changed)).rejects.toThrow(/^the stream /)
      }),
    )
  })

  it('is none for another key, with parts in another order, or with more after its end', async () => {
    const key = newKey()
    const bytes = await seal(key, [Buffer.from('aaaa'), Buffer.from('bbbb')])
    const part = 4 + 4 + 16
    const swapped = Buffer.concat([
      bytes.subarray(part, 2 * part),
      bytes.subarray(0, part),
      bytes.subarray(2 * part),
    ])
    await expect(open(newKey(), bytes)).rejects.toThrow('the stream was changed on its way')
    await expect(open(key, swapped)).rejects.toThrow('the stream was changed on its way')
    await expect(open(key, Buffer.concat([bytes, bytes.subarray(0, part)]))).rejects.toThrow(
      'the stream goes on after its end',
    )
  })

  it('shows nothing of what it holds', async () => {
    expect((await seal(newKey(), [Buffer.from('a secret of the database')])).includes('secret')).toBe(false)
  })

  it('takes 64 hexadecimal digits as its key, and nothing else', () => {
    expect(['', 'ab', 'z'.repeat(64), 'a'.repeat(65)].map(streamKey)).toEqual(Array(4).fill(undefined))
  })
})
