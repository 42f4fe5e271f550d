import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeploymentEvent } from '../../../src/deployment/events.ts'
import { phases } from '../../../src/deployment/events.ts'
import { followProgress } from '../../../src/output/deployment/progress.ts'
import { progressLines } from '../../../src/output/deployment/terminal.ts'

const hosts = (count: number) => Array.from({ length: count }, (_, index) => `db${index + 1}`)
const after = (names: readonly string[], events: readonly DeploymentEvent[]) => {
  const progress = followProgress(names)
  for (const event of events) progress.observe(event)
  return progress.now()
}
const shown = (names: readonly string[], events: readonly DeploymentEvent[], maxLines = 16) =>
  progressLines(after(names, events), { maxLines, colour: false })

const started = (host: string, phase: (typeof phases)[number]): DeploymentEvent => ({
  type: 'phase-started',
  host,
  phase,
})
const done = (host: string, phase: (typeof phases)[number]): DeploymentEvent => ({
  type: 'phase-done',
  host,
  phase,
  seconds: 1,
})
const step = (host: string, title: string): DeploymentEvent => ({
  type: 'step-started',
  host,
  step: title,
  title,
})
const failed = (host: string): DeploymentEvent => ({
  type: 'host-failed',
  host,
  failure: { code: 'failed', message: `${host} broke\nmore of it`, fix: 'mend it' },
})
const wave = (wave: number, of: number, ...names: readonly string[]): DeploymentEvent => ({
  type: 'wave-started',
  wave,
  of,
  canary: wave === 1 && of > 1,
  hosts: names,
  inTurn: [],
})

describe('the live progress', () => {
  it('has a line for each of a few hosts, from connecting to the verification', () => {
    const names = hosts(2)
    const events: DeploymentEvent[] = [started('db1', 'connect')]
    expect(shown(names, events)).toEqual(['0 of 2 hosts reached', '› db1  connecting', '· db2  waiting'])
    events.push(done('db1', 'connect'), started('db1', 'facts'), done('db1', 'facts'))
    expect(shown(names, events)).toEqual(['1 of 2 hosts reached', '✔ db1  reached', '· db2  waiting'])
    events.push(...names.flatMap((host) => [started(host, 'stage'), done(host, 'stage')]))
    expect(shown(names, events)).toEqual(['2 of 2 hosts prepared', '✔ db1  prepared', '✔ db2  prepared'])
    events.push(wave(1, 2, 'db1'), started('db1', 'commit'), step('db1', 'restart manager'))
    expect(shown(names, events)).toEqual([
      '0 of 2 hosts done, wave 1 of 2 (canary)',
      '› db1  restart manager',
      '· db2  waiting',
    ])
    events.push(done('db1', 'commit'), started('db1', 'verify'))
    expect(shown(names, events)[1]).toBe('› db1  verifying logins')
    events.push(done('db1', 'verify'), wave(2, 2, 'db2'), started('db2', 'commit'), failed('db2'))
    events.push(done('db2', 'commit'))
    expect(shown(names, events)).toEqual([
      '1 of 2 hosts done, 1 failed, wave 2 of 2',
      '✔ db1  done',
      '✖ db2  broke',
    ])
  })

  it('shows the active and failed hosts of many, and counts the others', () => {
    const names = hosts(50)
    const events = [
      wave(1, 1, ...names),
      ...names.map((host) => started(host, 'commit')),
      ...names.slice(0, 5).flatMap((host) => done(host, 'commit')),
      ...names.slice(10, 15).map(failed),
    ]
    expect(shown(names, events, 8)).toEqual([
      '5 of 50 hosts done, 5 failed',
      '› db6   switching over',
      '› db7   switching over',
      '› db8   switching over',
      '  and 37 more at work',
      '✖ db11  broke',
      '✖ db12  broke',
      '  and 3 more failed',
    ])
  })

  it('never exceeds its number of lines, and counts every failure', () => {
    const name = fc.integer({ min: 1, max: 60 }).map((number) => `db${number}`)
    const phase = fc.constantFrom(...phases)
    const event = fc.oneof(
      fc.tuple(name, phase).map(([host, of]) => started(host, of)),
      fc.tuple(name, phase).map(([host, of]) => done(host, of)),
      fc.tuple(name, fc.string()).map(([host, title]) => step(host, title)),
      name.map(failed),
      fc.array(name, { maxLength: 9 }).map((names) => wave(2, 9, ...names)),
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.array(event, { maxLength: 200 }),
        fc.integer({ min: 3, max: 30 }),
        (count, events, maxLines) => {
          const lines = shown(hosts(count), events, maxLines)
          expect(lines.length).toBeLessThanOrEqual(maxLines)
          const broken = new Set(events.flatMap((it) => (it.type === 'host-failed' ? it.host : [])))
          const known = [...broken].filter((host) => hosts(count).includes(host)).length
          expect(lines[0]?.includes(`${known} failed`)).toBe(known > 0)
        },
      ),
    )
  })

  it('begins with the notice that the run stops, since a narrow terminal cuts lines off', () => {
    expect(shown(hosts(1), [step('db1', 'write settings'), { type: 'stopping' }])).toEqual([
      'stopping after the current steps (Ctrl-C again: immediately), 0 of 1 host done',
      '› db1  write settings',
    ])
  })

  it('reports if the display changes', () => {
    const progress = followProgress(hosts(1))
    expect(progress.observe(started('db1', 'commit'))).toBe(true)
    expect(progress.observe({ type: 'notice', message: 'fetching the runtime' })).toBe(false)
    expect(progress.observe(started('db2', 'commit'))).toBe(false)
    expect(progress.observe(failed('db1'))).toBe(true)
    // A host that failed goes on to be undone: what was wrong stays to be seen.
    expect(progress.observe(done('db1', 'commit'))).toBe(false)
  })
})
