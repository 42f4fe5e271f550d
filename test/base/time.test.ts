import { describe, expect, it } from 'vitest'
import { compactTime, durationText, isoDate, parseDuration } from '../../src/base/time.ts'

describe('a time', () => {
  it('is written to the second and without separators for file names', () => {
    expect(compactTime(new Date('2026-01-02T03:04:05.678Z'))).toBe('20260102T030405Z')
  })

  it('has its date in UTC, however it is given', () => {
    const moment = new Date('2026-01-02T23:59:59.999Z')
    expect([moment, moment.toISOString(), moment.getTime()].map(isoDate)).toEqual(
      Array.from({ length: 3 }, () => '2026-01-02'),
    )
  })
})

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['0s', 0],
    ['2h', undefined],
    ['30', undefined],
    ['1.5s', undefined],
    ['-1s', undefined],
    ['30 s', undefined],
    ['1234567890s', undefined],
    ['', undefined],
  ])('%j is parsed as %s milliseconds', (text, value) => {
    expect(parseDuration(text)).toBe(value)
  })

  it('has only the units that the caller names', () => {
    expect(parseDuration('2h', ['s', 'm', 'h', 'd'])).toBe(7_200_000)
    expect(parseDuration('2d', ['s', 'm', 'h', 'd'])).toBe(172_800_000)
    expect(parseDuration('500ms', ['s', 'm', 'h', 'd'])).toBeUndefined()
  })

  it('is written in the largest unit with a whole number and parsed back', () => {
    const values = [1, 500, 1000, 1500, 60_000, 90_000, 3_600_000]
    expect(values.map(durationText)).toEqual(['1ms', '500ms', '1s', '1500ms', '1m', '90s', '60m'])
    expect(values.map((value) => parseDuration(durationText(value)))).toEqual(values)
  })
})
