import { describe, expect, it } from 'vitest'
import type { DeploymentEvent } from '../../../src/deployment/events.ts'
import { eventJson } from '../../../src/output/deployment/eventJson.ts'
import { linesAfterPlan, plainLine } from '../../../src/output/deployment/logLines.ts'

const failure = {
  code: 'port-in-use',
  message: 'port 8090 is taken',
  fix: 'Stop that program,\nor choose another port.',
} as const
const events: readonly DeploymentEvent[] = [
  {
    type: 'run-started',
    run: '20260102T030405Z-abcdef',
    operation: 'install',
    cluster: 'alpha',
    hosts: ['db1'],
  },
  { type: 'planned', host: 'db1', changes: ['write settings'] },
  { type: 'wave-started', wave: 1, of: 1, canary: false, hosts: ['db1'], inTurn: [] },
  { type: 'wave-started', wave: 1, of: 3, canary: true, hosts: ['db1'], inTurn: ['db1'] },
  { type: 'wave-started', wave: 2, of: 3, canary: false, hosts: ['db2', 'db3'], inTurn: [] },
  { type: 'phase-started', host: 'db1', phase: 'commit' },
  { type: 'step-started', host: 'db1', step: 'settings', title: 'write settings' },
  { type: 'step-done', host: 'db1', step: 'settings', title: 'write settings', seconds: 0.26 },
  { type: 'phase-done', host: 'db1', phase: 'commit', seconds: 0.3 },
  { type: 'notice', message: 'fetching the runtime' },
  { type: 'stopping' },
  { type: 'host-failed', host: 'db1', failure },
  { type: 'run-ended', outcomes: [], interrupted: false },
]

describe('plainLine', () => {
  it('writes a line for steps, waves and notices, and none for other events', () => {
    expect(events.map((event) => plainLine(event)).filter((line) => line !== undefined)).toEqual([
      'wave 1 of 3 (canary): db1\n',
      'wave 2 of 3: db2, db3\n',
      'db1: write settings (0.3 s)\n',
      'fetching the runtime\n',
      'Stopping: each host completes its current step. Press Ctrl-C again to stop immediately.\n',
    ])
  })
})

describe('linesAfterPlan', () => {
  const planned = (all: readonly DeploymentEvent[]) => {
    const lineOf = linesAfterPlan()
    return all.flatMap((event) => lineOf(event) ?? [])
  }
  const step = { type: 'step-done', step: 'settings', title: 'write settings', seconds: 0.2 } as const
  const phase = (host: string, name: 'stage' | 'commit' | 'verify', seconds: number) =>
    ({ type: 'phase-done', host, phase: name, seconds }) as const

  it('omits the steps of the plan, and writes the other lines', () => {
    expect(planned(events)).toEqual([
      'wave 1 of 3 (canary): db1\n',
      'wave 2 of 3: db2, db3\n',
      'fetching the runtime\n',
      'Stopping: each host completes its current step. Press Ctrl-C again to stop immediately.\n',
    ])
    expect(planned([{ ...step, type: 'step-undone', host: 'db1' }])).toEqual([
      'db1: undone: write settings (0.2 s)\n',
    ])
  })

  it('writes once for each changed host that it is done, with the duration', () => {
    expect(
      planned([
        { ...step, host: 'db1' },
        phase('db1', 'stage', 2),
        { ...step, host: 'db1' },
        phase('db1', 'commit', 1.25),
        { ...step, host: 'db2' },
        { type: 'host-failed', host: 'db2', failure },
        phase('db2', 'verify', 1),
        phase('db3', 'verify', 1),
        phase('db1', 'verify', 0.5),
      ]),
    ).toEqual(['db1: done (3.8 s)\n'])
  })
})

describe('eventJson', () => {
  it('writes every event as one line with its time', () => {
    const now = new Date('2026-01-02T03:04:05.006Z')
    const lines = events.map((event) => eventJson(event, now))
    expect(lines[7]).toBe(
      '{"time":"2026-01-02T03:04:05.006Z","type":"step-done","host":"db1","step":"settings","title":"write settings","seconds":0.26}\n',
    )
    for (const line of lines) expect(line.trimEnd()).not.toContain('\n')
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(events.map(({ type }) => type))
  })
})
