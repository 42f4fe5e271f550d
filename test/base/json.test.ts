import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/base/json.ts'
import { heapInUse } from '../support/heapInUse.ts'

describe('parseJson', () => {
  it('parses JSON within the limits, whatever its strings contain', () => {
    const text = JSON.stringify({ a: ['[[[[{{{{,,,,'.repeat(100_000), '\\"[', '\\\\'], b: [{ c: null }] })
    expect(parseJson(text)).toEqual(JSON.parse(text))
    expect(parseJson(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeInstanceOf(Array)
  })

  it('returns undefined for JSON that is too deep or has too many values, and for other text', () => {
    expect(parseJson(`${'['.repeat(65)}${']'.repeat(65)}`)).toBeUndefined()
    expect(parseJson(`[${'0,'.repeat(200_001)}0]`)).toBeUndefined()
    for (const text of ['', '{', '"', '"\\', 'junk not json', ']']) expect(parseJson(text)).toBeUndefined()
  })

  it('creates no values for JSON beyond the limits', () => {
    // Flat from the start: V8 joins the pieces of a text only once somebody reads it.
    const text = Buffer.from(`[${'{},'.repeat(2_000_000)}{}]`).toString('latin1')
    const before = heapInUse()
    const value = parseJson(text)
    expect(heapInUse() - before).toBeLessThan(1024 * 1024)
    expect(value).toBeUndefined()
  })
})
