import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { LogLine } from '../../../src/deployment/logs/parseLogs.ts'
import { logsJson, logsText } from '../../../src/output/deployment/logs.ts'
import { hostConfig } from '../../support/deploymentValues.ts'

const time = Date.UTC(2026, 2, 1, 12)
const own = (level: string, facts: object, msg: string): string =>
  JSON.stringify({ level, time: 'x', cluster: 'alpha', host: 'db1', component: 'manager', ...facts, msg })
const lines: readonly LogLine[] = [
  { host: 'db1', component: 'manager', time: undefined, text: 'Error: before any time' },
  { host: 'db1', component: 'manager', time, text: own('info', {}, 'listening at https://127.0.0.1:8090') },
  {
    host: 'database-2',
    component: 'replicator',
    time: time + 1.9,
    text: own('error', { service: 'alpha', tries: 3, err: { message: 'no' } }, 'lost the database'),
  },
  { host: 'db1', component: 'manager', time: time + 5, text: '{"msg":5}\u001b[2J' },
]

describe('the output of muster logs', () => {
  it('has lines with time, host, component and message', () => {
    expect(logsText(lines, { colour: false })).toBe(
      `                         db1        manager     Error: before any time
2026-03-01T12:00:00.000Z db1        manager     info  listening at https://127.0.0.1:8090
2026-03-01T12:00:00.001Z database-2 replicator  error lost the database (service=alpha tries=3 err={"message":"no"})
2026-03-01T12:00:00.005Z db1        manager     {"msg":5}\\x1b[2J
`,
    )
    expect(logsText([], { colour: false })).toBe('')
  })

  it('has the same text in colour', () => {
    expect(logsText(lines, { colour: true })).toContain('\u001b[31merror lost')
    expect(stripVTControlCharacters(logsText(lines.slice(0, 3), { colour: true }))).toBe(
      logsText(lines.slice(0, 3), { colour: false }).replaceAll('before any time', 'before any time'),
    )
  })

  it('cuts a line that is too long for people, and keeps columns of all hosts', () => {
    const [, line] = lines
    if (line === undefined) throw new Error('no line')
    const long = { ...line, text: `\u001b[2J${'x'.repeat(10_000_000)}` }
    const text = logsText([long], {
      colour: false,
      hosts: ['db1', 'database-2'].map((name) => hostConfig({ name })),
    })
    expect(text).toMatch(/^\S+ db1 {8}manager {5}\\x1b\[2Jx+… \(9996004 more characters\)\n$/)
    expect(text.length).toBeLessThan(4200)
  })

  it('has the original lines as JSON', () => {
    const told = logsJson(lines)
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(told[0]).toEqual({ host: 'db1', component: 'manager', line: 'Error: before any time' })
    expect(told[2]).toEqual({
      time: '2026-03-01T12:00:00.001Z',
      host: 'database-2',
      component: 'replicator',
      line: lines[2]?.text,
    })
  })
})
