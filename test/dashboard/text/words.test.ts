import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byName, cutMiddle, listText, shown } from '../../../src/dashboard/text/words.ts'

describe('text of others', () => {
  it('is shown on one line, without what turns or hides it', () => {
    expect(shown('a\u202eb\nc\u200bd\u001b[31m')).toBe('a\\u202eb\\x0ac\\u200bd\\x1b[31m')
  })

  it('is bounded', () => {
    expect(shown('x'.repeat(100_000)).length).toBeLessThan(3000)
  })

  it('keeps both ends where it is cut', () => {
    expect(cutMiddle('db-eu-west-1-0017', 10)).toBe('db-eu-…017')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 20 }), (text, length) => {
        expect([...cutMiddle(text, length)].length).toBeLessThanOrEqual(length)
      }),
    )
  })
})

describe('names', () => {
  it('are in the order in which people count', () => {
    expect(['db10', 'db2', 'db1'].sort(byName)).toEqual(['db1', 'db2', 'db10'])
  })

  it.each([
    [[], ''],
    [['db1'], 'db1'],
    [['db1', 'db2', 'db3'], 'db1, db2 and db3'],
  ])('%j are listed as %j', (names, text) => {
    expect(listText(names)).toBe(text)
  })
})
