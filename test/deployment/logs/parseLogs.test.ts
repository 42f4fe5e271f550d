import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shortLine } from '../../../src/deployment/logs/parseLogs.ts'

describe('a line of a log, in short', () => {
  it.each([
    [
      '{"level":"info","time":"2026-11-22T14:03:10.732Z","cluster":"alpha","signal":"SIGTERM","msg":"stopping"}',
      '2026-11-22T14:03:10.732Z info stopping',
    ],
    ['{"msg":"stopping"}', 'stopping'],
    ['{"level":30,"msg":"stopping"}', 'stopping'],
    ['{"level":"info"}', '{"level":"info"}'],
    ['{"msg":7}', '{"msg":7}'],
    ['null', 'null'],
    ['muster-api: cannot listen on 127.0.0.1:8096', 'muster-api: cannot listen on 127.0.0.1:8096'],
  ])('%s', (line, short) => {
    expect(shortLine(line)).toBe(short)
  })

  it('never fails', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(shortLine(line)).toBeTypeOf('string')
      }),
    )
  })
})
