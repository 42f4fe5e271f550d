import { describe, expect, it } from 'vitest'
import { parseLockResponse } from '../../../src/deployment/lock/heldLock.ts'
import { hasRunEnded, parseRunOwner, type RunOwner, runId } from '../../../src/deployment/lock/runOwner.ts'

const owner: RunOwner = {
  id: '20260102T030405Z-1a2b3c',
  operation: 'install',
  cluster: 'alpha',
  user: 'ann',
  machine: 'desk',
  machineId: 'a',
  pid: 42,
  started: '77',
}

describe('the owner of a run', () => {
  it('has an id with its start time', () => {
    expect(runId(new Date('2026-01-02T03:04:05.678Z'), '1a2b3c')).toBe('20260102T030405Z-1a2b3c')
  })

  it('is parsed as it was written', () => {
    expect(parseRunOwner(JSON.stringify(owner))).toEqual(owner)
  })

  it.each([
    ['nothing', ''],
    ['no object', '3'],
    ['an id that a shell would not take for one word', JSON.stringify({ ...owner, id: 'a; b' })],
    ['a pid that is none', JSON.stringify({ ...owner, pid: '42' })],
    ['no user', JSON.stringify({ ...owner, user: undefined })],
    ['a process number that kill takes for all', JSON.stringify({ ...owner, pid: -1 })],
    ['no process', JSON.stringify({ ...owner, pid: 0 })],
    ['a process number that no Linux has', JSON.stringify({ ...owner, pid: 1e15 })],
  ])('is not parsed from %s', (_, text) => {
    expect(parseRunOwner(text)).toBeUndefined()
  })

  it('cannot control a terminal', () => {
    const found = parseRunOwner(JSON.stringify({ ...owner, user: 'a\u001b[2J\nb', machine: 'x'.repeat(500) }))
    expect(found).toMatchObject({ user: 'a[2Jb', machine: 'x'.repeat(200) })
  })

  it('has ended only if its process on this machine has ended', () => {
    const me = { ...owner, id: 'me' }
    const gone = () => false
    expect(hasRunEnded(owner, me, gone)).toBe(true)
    expect(hasRunEnded(owner, me, (pid, started) => pid === 42 && started === '77')).toBe(false)
    expect(hasRunEnded({ ...owner, machine: 'elsewhere' }, me, gone)).toBe(false)
    expect(hasRunEnded({ ...owner, machineId: 'b' }, me, gone)).toBe(false)
    const { machineId: _, ...nameless } = owner
    expect(hasRunEnded(nameless, { ...nameless, id: 'me' }, gone)).toBe(false)
  })

  it("is in the first line of a lock script's output", () => {
    const text = Buffer.from(JSON.stringify(owner)).toString('base64')
    expect(parseLockResponse(`held\t7\t2026-01-02T03:04:05Z\t${text}\n`)).toEqual({
      response: { kind: 'held', lock: { owner, since: '2026-01-02T03:04:05Z', idle: 7 } },
      rest: '',
    })
    expect(parseLockResponse('held\t\t\u001b[2J\t\n').response).toEqual({
      kind: 'held',
      lock: { owner: undefined, since: 'an unknown time', idle: 0 },
    })
    expect(parseLockResponse('taken\nhostname\tdb1\n')).toEqual({
      response: { kind: 'taken' },
      rest: 'hostname\tdb1\n',
    })
    expect(parseLockResponse('failed\tno flock\n').response).toEqual({ kind: 'failed', why: 'no flock' })
    expect(parseLockResponse('').response).toEqual({ kind: 'failed', why: '' })
  })
})
