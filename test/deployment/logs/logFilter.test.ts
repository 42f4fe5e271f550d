import { describe, expect, it } from 'vitest'
import { matchesFilter } from '../../../src/deployment/logs/logFilter.ts'
import type { LogLine } from '../../../src/deployment/logs/parseLogs.ts'
import { cpuTime } from '../../support/cpuTime.ts'

const line = (text: string): LogLine => ({ host: 'db1', component: 'manager', time: undefined, text })
const lines = [
  'Error: a crash',
  '{"level":"info","msg":"listening"}',
  '{"level":"error","service":"alpha","msg":"lost the database"}',
  '{"msg":5}',
  '{"level":"loud","msg":"of another program"}',
].map(line)

describe('matchesFilter', () => {
  it('keeps the lines of a level and worse, and those without a level', () => {
    const at = (level: 'debug' | 'info' | 'warn' | 'error') =>
      lines.flatMap((one, index) => (matchesFilter(one, { level }) ? [index] : []))
    expect([at('debug'), at('info')]).toEqual([
      [0, 1, 2, 3, 4],
      [0, 1, 2, 3, 4],
    ])
    expect([at('warn'), at('error')]).toEqual([
      [0, 2, 3, 4],
      [0, 2, 3, 4],
    ])
  })

  it('keeps the lines that contain a text as it is shown, which is no pattern', () => {
    const found = (text: string) => lines.filter((one) => matchesFilter(one, { text })).length
    expect([found('SERVICE=alpha'), found('.*'), found('a crash'), found('nothing')]).toEqual([1, 0, 1, 0])
    expect(lines.filter((one) => matchesFilter(one, { text: 'l', level: 'error' }))).toEqual([
      lines[2],
      lines[4],
    ])
    const search = () =>
      expect(matchesFilter(line('a'.repeat(65_536)), { text: `${'a'.repeat(199)}b` })).toBe(false)
    expect(cpuTime(search)).toBeLessThan(1000)
  })
})
