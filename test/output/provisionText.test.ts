import { describe, expect, it } from 'vitest'
import { copiedText } from '../../src/output/provisionText.ts'

describe('the line about a copy', () => {
  it('has what arrived, of how much, how fast, and the time that is left', () => {
    expect(copiedText(1_200_000_000, { all: 10_000_000_000, seconds: 12 })).toBe(
      '1.2 GB of 10 GB, 100 MB/s, 88 s left',
    )
    expect(copiedText(1e9, { all: 100e9, seconds: 10 })).toBe('1.0 GB of 100 GB, 100 MB/s, 17 min left')
  })

  it('has no time where more arrived than was told', () => {
    expect(copiedText(2_000_000, { all: 1_000_000, seconds: 2 })).toBe('2.0 MB of 2.0 MB, 1.0 MB/s')
  })
})
