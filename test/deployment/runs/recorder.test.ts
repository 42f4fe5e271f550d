import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunOwner } from '../../../src/deployment/lock/runOwner.ts'
import { createRecorder, maxRecordBytes, rotatedRecord } from '../../../src/deployment/runs/recorder.ts'
import { parseRuns, runLine } from '../../../src/deployment/runs/runRecord.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const owner: RunOwner = {
  id: '20260102T030405Z-1a2b3c',
  operation: 'install',
  cluster: 'alpha',
  user: 'ann',
  machine: 'desk',
  machineId: 'a',
  pid: 42,
}
const place = { manifest: '/opt/muster/share/installation.json', path: '/opt/muster/deployment.jsonl' }

const recorderAt = (start: number) => {
  let time = start
  const recorder = createRecorder({ owner, version: '1.2.3', now: () => new Date(time) })
  return {
    recorder,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
  }
}
const started = {
  type: 'run-started',
  run: 'r1',
  operation: 'install',
  cluster: 'alpha',
  hosts: ['db1'],
} as const

const done = (title: string) =>
  ({ type: 'step-done', host: 'db1', step: 'settings', title, seconds: 0.12345 }) as const

describe('the recorder of a run', () => {
  it('returns who ran what, when, from where, and the result', () => {
    const { recorder, pass } = recorderAt(Date.UTC(2026, 0, 2, 3, 4, 5))
    recorder.observe(started)
    pass(2500)
    const outcome = { host: 'db1', result: 'changed', applied: ['write settings'] } as const
    recorder.observe({
      type: 'run-ended',
      outcomes: [{ ...outcome, seconds: { commit: 1.23456 } }],
      interrupted: false,
    })
    const record = recorder.record(0)
    expect(record).toEqual({
      id: '20260102T030405Z-1a2b3c',
      operation: 'install',
      cluster: 'alpha',
      user: 'ann',
      machine: 'desk',
      pid: 42,
      version: '1.2.3',
      started: '2026-01-02T03:04:05.000Z',
      seconds: 2.5,
      targets: ['db1'],
      hosts: [{ ...outcome, seconds: { commit: 1.235 } }],
      exit: 0,
    })
    if (record === undefined) throw new Error('no record')
    const other = { ...record, id: '20260102T030406Z-1a2b3c' }
    const text = `${runLine(record)}{"id":"half\n[]\nnull\n\n${runLine(other)}`
    expect(parseRuns(text)).toEqual([record, other])
    const { seconds: _, hosts: __, exit: ___, ...begun } = record
    expect(recorder.unfinished()).toEqual(begun)
  })

  it('returns no record of a declined run', () => {
    const { recorder } = recorderAt(0)
    recorder.observe(started)
    expect(recorder.record(1)).toBeUndefined()
  })

  it('returns each change of a host once, from its commit on', () => {
    const { recorder } = recorderAt(0)
    recorder.observe(done('lay out'))
    expect(recorder.pending('db1', place)).toBe('')
    recorder.observe({ type: 'phase-started', host: 'db1', phase: 'commit' })
    recorder.observe(done("switch to ann's"))
    expect(recorder.pending('db2', place)).toBe('')
    const script = recorder.pending('db1', place)
    expect(script).toMatch(/^if \[ -f \/opt\/muster\/share\/installation\.json \]; then printf /)
    expect(script.match(/"outcome":"done","seconds":0\.123/g)).toHaveLength(2)
    expect(script).toContain("switch to ann'\\''s")
    expect(recorder.pending('db1', place)).toBe('')
  })

  it('rotates a large record of a host and keeps the previous one', () => {
    const folder = temporaryFolder()
    const at = { manifest: join(folder, 'installation.json'), path: join(folder, 'deployment.jsonl') }
    writeFileSync(at.manifest, '{}')
    const write = (title: string): void => {
      const { recorder } = recorderAt(0)
      recorder.observe({ type: 'phase-started', host: 'db1', phase: 'commit' })
      recorder.observe(done(title))
      execFileSync('sh', ['-c', recorder.pending('db1', at)])
    }
    write('first')
    expect(existsSync(rotatedRecord(at.path))).toBe(false)
    const lines = '{}\n'.repeat(maxRecordBytes / 3)
    appendFileSync(at.path, lines)
    write('last of the old')
    write('first of the new')
    const older = readFileSync(rotatedRecord(at.path), 'utf8')
    expect(older).toContain('"change":"first"')
    expect(older.trimEnd().split('\n').at(-1)).toContain('"change":"last of the old"')
    expect(readFileSync(at.path, 'utf8')).toMatch(/^\{.*"change":"first of the new".*\}\n$/)
  })

  it('records undone steps', () => {
    const { recorder } = recorderAt(0)
    recorder.observe({ type: 'phase-started', host: 'db1', phase: 'commit' })
    recorder.observe({ ...done('write settings'), type: 'step-undone' })
    expect(recorder.pending('db1', place)).toContain('"change":"write settings","outcome":"undone"')
  })

  it('records the failed change of a host, and no failure between changes', () => {
    const { recorder } = recorderAt(0)
    const failure = { code: 'step-failed', message: 'words of the host', fix: 'mend it' } as const
    recorder.observe({ type: 'phase-started', host: 'db1', phase: 'commit' })
    recorder.observe({ type: 'host-failed', host: 'db1', failure })
    expect(recorder.pending('db1', place)).toBe('')
    recorder.observe({ type: 'step-started', host: 'db1', step: 'services', title: 'start manager' })
    recorder.observe({ type: 'host-failed', host: 'db1', failure })
    expect(recorder.pending('db1', place)).toContain(
      '"step":"services","change":"start manager","outcome":"failed","code":"step-failed"',
    )
  })
})
