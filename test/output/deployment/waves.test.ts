import { describe, expect, it } from 'vitest'
import type { HostOutcome } from '../../../src/deployment/events.ts'
import { allAtOnce, carefully, type Rollout } from '../../../src/deployment/execution/rollout.ts'
import { scheduleOf } from '../../../src/deployment/execution/schedule.ts'
import { goingOnText } from '../../../src/output/deployment/goingOn.ts'
import { movesText } from '../../../src/output/deployment/moves.ts'
import { wavesText } from '../../../src/output/deployment/waves.ts'
import { waveTitle } from '../../../src/output/deployment/waveTitle.ts'

const order = (count: number, rollout: Rollout) => {
  const candidates = Array.from({ length: count }, (_, index) => {
    return { host: `db${index + 1}`, changes: true, inTurn: false }
  })
  return wavesText(scheduleOf(candidates, rollout), rollout)
}

describe('the order of the hosts in words', () => {
  it('is one line, and none where all go at once', () => {
    expect(order(3, allAtOnce)).toBeUndefined()
    expect(order(1, carefully)).toBeUndefined()
    expect(order(2, carefully)).toBe('2 waves: db1 alone, then db2; a failure ends it before the next')
    expect(order(3, carefully)).toBe(
      '3 waves: db1 alone, then at most 1 host each; a failure ends it before the next',
    )
    expect(order(50, { ...carefully, maxFailed: 2 })).toBe(
      '6 waves: db1 alone, then at most 12 hosts each; more than 2 failures end it before the next',
    )
    expect(order(4, { ...allAtOnce, batch: { hosts: 2 } })).toBe(
      '2 waves of at most 2 hosts; a failure ends it before the next',
    )
  })

  it('counts waves as the progress does', () => {
    const waves = scheduleOf(
      Array.from({ length: 4 }, (_, index) => ({ host: `db${index + 1}`, changes: true, inTurn: false })),
      carefully,
    )
    const titles = waves.map((wave, index) =>
      waveTitle({ type: 'wave-started', wave: index + 1, of: waves.length, ...wave }),
    )
    expect(wavesText(waves, carefully)).toMatch(/^4 waves: db1 alone, /)
    expect(titles).toEqual(['wave 1 of 4 (canary)', 'wave 2 of 4', 'wave 3 of 4', 'wave 4 of 4'])
  })
})

describe('movesText', () => {
  it('has one line for all hosts that go the same way', () => {
    const move = (host: string, from: string) => ({ host, from, to: '1.1.0-b' })
    expect(movesText([move('db1', '1.0.0-a'), move('db2', '1.1.0-b'), move('db3', '1.0.0-a')])).toEqual([
      'release 1.0.0-a → 1.1.0-b: db1 and db3',
    ])
  })
})

describe('goingOnText', () => {
  const outcome = (host: string, result: HostOutcome['result'], reason?: string): HostOutcome => ({
    host,
    result,
    applied: [],
    seconds: {},
    ...(reason === undefined ? {} : { reason }),
  })

  it('says what to do after a canary that failed', () => {
    const outcomes = [
      outcome('db1', 'failed'),
      ...['db2', 'db3'].map((it) => outcome(it, 'not-started', 'x')),
    ]
    expect(goingOnText('upgrade', outcomes)).toBe(
      '2 hosts not started. Fix the reported problem on db1, then run `muster upgrade` again: it continues with what is left.\n',
    )
  })

  it('says what the hosts run that are done', () => {
    const outcomes = [
      outcome('db1', 'changed'),
      outcome('db2', 'unreachable'),
      outcome('db3', 'not-started', 'x'),
    ]
    expect(goingOnText('upgrade', outcomes)).toBe(
      '1 host not started. Fix the reported problem on db2, then run `muster upgrade` again: it continues with what is left.\n' +
        'db1 runs the new release; `muster rollback --host db1` returns db1 to the previous one.\n',
    )
    expect(goingOnText('restart', outcomes)?.split('\n')).toHaveLength(2)
  })

  it('counts those that were stopped, unless a person stopped them', () => {
    const stopped = (...reason: readonly string[]) => [
      outcome('db1', 'failed'),
      outcome('db2', 'stopped', ...reason),
    ]
    expect(goingOnText('install', stopped('x'))).toMatch(
      /^1 host stopped half-way\. Fix the reported problem on db1,/,
    )
    expect(goingOnText('install', stopped())).toBeUndefined()
  })

  it('is silent where every host had its turn', () => {
    expect(goingOnText('install', [outcome('db1', 'failed'), outcome('db2', 'changed')])).toBeUndefined()
  })
})
