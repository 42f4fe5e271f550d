import { describe, expect, it } from 'vitest'
import {
  daysText,
  daysUntil,
  durationText,
  localText,
  spanText,
  utcText,
} from '../../../src/dashboard/text/times.ts'

const second = 1000
const hour = 3600 * second
const day = 24 * hour

describe('a span of time', () => {
  it.each([
    [-5, '0 s'],
    [59.9 * second, '59 s'],
    [60 * second, '1 min'],
    [hour - 1, '59 min'],
    [hour, '1 h'],
    [2 * hour + 5 * 60 * second, '2 h 5 min'],
    [day, '1 d'],
    [4 * day + 3 * hour, '4 d 3 h'],
    [75 * day + 3 * hour, '75 d'],
  ])('of %d ms is %s', (span, text) => {
    expect(spanText(span)).toBe(text)
  })

  it.each([
    [0.04, '0.04 s'],
    [3.21, '3.2 s'],
    [41, '41 s'],
    [93, '1 min 33 s'],
    [7200, '2 h'],
  ])('of %d s that a run took is %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text)
  })
})

describe('the days of a certificate', () => {
  const now = Date.parse('2026-03-10T10:00:00Z')
  it.each([
    ['2026-03-08T10:00:00Z', 'ended 2 days ago'],
    ['2026-03-10T09:00:00Z', 'ended 1 day ago'],
    ['2026-03-10T20:00:00Z', 'ends today'],
    ['2026-03-11T10:00:00Z', '1 day'],
    ['2026-05-24T10:00:00Z', '75 days'],
  ])('until %s are %s', (end, text) => {
    expect(daysText(daysUntil(end, now))).toBe(text)
  })
})

describe('a time', () => {
  const at = new Date(2026, 2, 10, 9, 5, 7)
  it('is its clock on the same day, and has the date on another', () => {
    expect(localText(at.toISOString(), at.getTime() + second)).toBe('09:05:07')
    expect(localText(at.toISOString(), at.getTime() + day)).toBe('2026-03-10 09:05:07')
  })

  it('is in UTC for those who compare it with a log', () => {
    expect(utcText('2026-03-10T11:05:07.123+02:00')).toBe('2026-03-10 09:05:07 UTC')
  })

  it('is unknown for text that is none', () => {
    expect([utcText('x'), localText('x', 0)]).toEqual(['unknown time', 'unknown time'])
  })
})
