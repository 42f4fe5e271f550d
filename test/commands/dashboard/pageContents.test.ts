import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import { logEntries, runEntries } from '../../../src/commands/dashboard/pageContents.ts'
import type { KnownRun } from '../../../src/deployment/runs/runRecord.ts'

const begun = {
  ...{ operation: 'install', cluster: 'alpha', user: 'ada', machine: hostname(), version: '1.0.0' },
  started: '2026-01-02T03:04:05.000Z',
}
const ended = (id: string, changes: Partial<Extract<KnownRun, { exit: number }>> = {}): KnownRun => ({
  ...{ ...begun, id, pid: 1, targets: ['db1', 'db2'], seconds: 2, hosts: [], exit: 0 },
  ...changes,
})

describe('the pages of muster dashboard', () => {
  it('list runs with the newest first, and those of one host alone', () => {
    const runs = [ended('1'), ended('2', { targets: ['db2'] }), ended('3', { exit: 1 })]
    expect(runEntries(runs).map(({ id, result }) => [id, result])).toEqual([
      ['3', 'failed'],
      ['2', 'succeeded'],
      ['1', 'succeeded'],
    ])
    expect(runEntries(runs, 'db1').map(({ id }) => id)).toEqual(['3', '1'])
  })

  it('tell a run that is under way from one that was killed', () => {
    const unfinished = { ...begun, targets: ['db1'] }
    const entries = runEntries([
      { ...unfinished, id: '1', pid: 2 ** 22 + 1 },
      { ...unfinished, id: '2', pid: process.pid },
    ])
    expect(entries.map(({ result }) => result)).toEqual(['running', 'interrupted'])
  })

  it('show a line of a log with its level and members, and nothing that a terminal or page would obey', () => {
    const line = { host: 'db1', component: 'manager', time: 0 } as const
    const entries = logEntries([
      {
        ...line,
        text: '{"level":"warn","time":"x","msg":"fenced\\u001b[2J","service":"alpha","host":"db1"}',
      },
      { ...line, text: 'crash\u202e' },
    ])
    expect(entries[0]).toMatchObject({ level: 'warn', time: '1970-01-01T00:00:00.000Z' })
    expect(entries[0]?.text).toMatch(/^fenced.* service=alpha$/)
    expect(entries.map(({ text }) => text).join('')).not.toMatch(/\p{C}/u)
  })
})
