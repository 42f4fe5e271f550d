import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { type Audit, createAudit } from '../../../src/api/audit/audit.ts'
import type { AuditRecord } from '../../../src/api/audit/auditEntry.ts'

const entry = (requestId: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  requestId,
  door: 'tcp',
  peer: '10.0.0.9',
  caller: { kind: 'user', user: 'admin', access: 'full' },
  call: 'deleteUser',
  status: 200,
  code: undefined,
  changed: true,
  ...more,
})
const refusal: Partial<AuditRecord> = { caller: null, status: 401, code: 'login-required', changed: false }
const executed = { executed: true }
const refused = { executed: false }

/** An audit log over a file that is told when it can be written. */
function fake() {
  const disk = { text: '', synced: 0, isFull: false, writes: 0 }
  const fail = () => {
    if (disk.isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
  }
  const logged: { msg: string; audit?: { requestId: string } }[] = []
  const time = { now: new Date('2025-03-10T10:12:18Z').getTime() }
  const audit: Audit = createAudit({
    path: '/log/audit.jsonl',
    place: { cluster: 'alpha', host: 'db1', component: 'manager' },
    now: () => new Date(time.now),
    log: pino({}, { write: (line: string) => logged.push(JSON.parse(line)) }),
    file: {
      append: async (lines, { sync }) => {
        await Promise.resolve()
        disk.writes += 1
        fail()
        disk.text += lines
        if (sync) disk.synced += 1
        return lines
      },
      open: async () => fail(),
      close: async () => undefined,
    },
  })
  const entries = () =>
    disk.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { audit, disk, time, logged, entries, ids: () => entries().map(({ requestId }) => requestId) }
}

describe('the audit log', () => {
  it('records who did what, when and where, and the result', async () => {
    const { audit, entries } = fake()
    const more = { parameters: { user: 'jane' }, before: { user: 'jane' }, after: null }
    await audit.record(entry('r1', more), executed)
    await audit.record(entry('r2', { ...refusal, peer: undefined, door: 'socket' }), refused)
    expect(entries()).toEqual([
      {
        time: '2025-03-10T10:12:18.000Z',
        requestId: 'r1',
        cluster: 'alpha',
        host: 'db1',
        component: 'manager',
        door: 'tcp',
        peer: '10.0.0.9',
        caller: 'user',
        user: 'admin',
        call: 'deleteUser',
        parameters: { user: 'jane' },
        status: 200,
        changed: true,
        before: { user: 'jane' },
        after: null,
      },
      {
        time: '2025-03-10T10:12:18.000Z',
        requestId: 'r2',
        cluster: 'alpha',
        host: 'db1',
        component: 'manager',
        door: 'socket',
        caller: 'unknown',
        call: 'deleteUser',
        parameters: {},
        status: 401,
        code: 'login-required',
        changed: false,
      },
    ])
  })

  it('masks what looks like a secret at any depth, and cuts long values', async () => {
    const { audit, disk, entries } = fake()
    const parameters = {
      pass: 'hidden',
      services: [{ name: 'alpha', 'monitor-password': 'hidden', apiToken: { a: 'hidden' } }],
      note: 'x'.repeat(5000),
    }
    await audit.record(entry('r1', { parameters }), executed)
    expect(disk.text).not.toContain('hidden')
    expect(entries()[0].parameters).toEqual({
      pass: '[redacted]',
      services: [{ name: 'alpha', 'monitor-password': '[redacted]', apiToken: '[redacted]' }],
      note: `${'x'.repeat(1000)}… (5000 characters)`,
    })
  })

  it('has one line per call, whatever a value contains', async () => {
    const { audit, disk, entries } = fake()
    const user = 'a\n{"time":"forged"}\u2028\r\u0000'
    await audit.record(entry('r1', { parameters: { user } }), executed)
    expect(disk.text.trimEnd()).not.toContain('\n')
    expect(disk.text).not.toContain('\r')
    expect(entries()[0].parameters.user).toBe(user)
  })

  it('syncs the lines of executed calls, not of refused ones', async () => {
    const { audit, disk } = fake()
    await audit.record(entry('r1', refusal), refused)
    expect(disk.synced).toBe(0)
    await audit.record(entry('r2'), executed)
    expect(disk.synced).toBe(1)
  })

  it('is not ready while it cannot be written, logs that once, and is ready again afterwards', async () => {
    const { audit, disk, logged } = fake()
    expect([await audit.isReady(), audit.state()]).toEqual([true, { failures: 0, problem: undefined }])
    disk.isFull = true
    const problem = 'the audit log /log/audit.jsonl cannot be written: the disk is full'
    expect([await audit.isReady(), await audit.isReady()]).toEqual([false, false])
    expect(audit.state()).toEqual({ failures: 2, problem })
    disk.isFull = false
    expect(await audit.isReady()).toBe(true)
    expect(audit.state()).toEqual({ failures: 2, problem: undefined })
    expect(logged.map(({ msg }) => msg)).toEqual([problem, 'the audit log can be written again'])
  })

  it('writes a missed line of a change before anything else, once', async () => {
    const { audit, disk, logged, ids } = fake()
    disk.isFull = true
    expect(await audit.record(entry('r1'), executed)).toBe(false)
    expect(await audit.record(entry('r2'), executed)).toBe(false)
    expect(logged.flatMap((line) => line.audit?.requestId ?? [])).toEqual(['r1', 'r2'])
    expect(await audit.isReady()).toBe(false)
    disk.isFull = false
    expect(await Promise.all([audit.isReady(), audit.isReady(), audit.isReady()])).toEqual([true, true, true])
    expect(ids()).toEqual(['r1', 'r2'])
    await audit.record(entry('r3'), executed)
    await audit.close()
    expect(ids()).toEqual(['r1', 'r2', 'r3'])
  })

  it('keeps a line that fails while earlier ones are written', async () => {
    const { audit, disk, ids } = fake()
    disk.isFull = true
    await audit.record(entry('r1'), executed)
    const missed = audit.record(entry('r2'), executed)
    const ready = audit.isReady()
    await missed
    disk.isFull = false
    await ready
    expect(await audit.isReady()).toBe(true)
    expect(ids()).toEqual(['r1', 'r2'])
  })

  it('writes missing lines when it is closed', async () => {
    const { audit, disk, ids } = fake()
    disk.isFull = true
    await audit.record(entry('r1'), executed)
    disk.isFull = false
    await audit.close()
    expect(ids()).toEqual(['r1'])
  })

  it('cannot be filled by somebody without a login', async () => {
    const { audit, disk, time, entries } = fake()
    for (let call = 0; call < 1000; call += 1) await audit.record(entry(`r${call}`, refusal), refused)
    expect(disk.writes).toBe(60)
    await audit.record(entry('known', { status: 409, changed: false }), executed)
    expect(entries().at(-1)).toMatchObject({ requestId: 'known', leftOut: 940 })
    time.now += 60_000
    await audit.record(entry('later', refusal), refused)
    expect(entries().at(-1)).toMatchObject({ requestId: 'later' })
    expect(entries().at(-1)).not.toHaveProperty('leftOut')
  })

  it('counts refusals that it could not write as left out', async () => {
    const { audit, disk, entries } = fake()
    disk.isFull = true
    await audit.record(entry('r1', refusal), refused)
    await audit.record(entry('r2', refusal), refused)
    disk.isFull = false
    await audit.record(entry('r3'), executed)
    expect(entries()).toHaveLength(1)
    expect(entries()[0]).toMatchObject({ requestId: 'r3', leftOut: 2 })
  })
})
