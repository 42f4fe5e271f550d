import { describe, expect, it } from 'vitest'
import { bytesText } from '../../src/base/words.ts'

describe('bytes', () => {
  it('are written with the unit that a person reads', () => {
    expect([0, 1, 999, 1000, 9_950_000, 131_000_000, 9_800_000_000, 64e9, 3e15].map(bytesText)).toEqual([
      ...['0 B', '1 B', '999 B', '1.0 kB', '9.9 MB', '131 MB', '9.8 GB', '64 GB', '3000 TB'],
    ])
  })
})
