import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  isAncestor,
  isElsewhere,
  isProcessRunning,
  isRunning,
  ownIdentity,
  processStartTime,
} from '../../src/base/processIdentity.ts'

describe('isProcessRunning', () => {
  it('distinguishes a process from another with the same pid', () => {
    expect(isProcessRunning(process.pid, processStartTime('self'))).toBe(true)
    expect(isProcessRunning(process.pid, '1')).toBe(false)
    expect(isProcessRunning(2 ** 22 + 1, undefined)).toBe(false)
  })

  it.skipIf(!existsSync('/proc/self/stat'))('returns false for a zombie (needs /proc)', async () => {
    // The shell starts a process, names it and becomes a program that never asks for its end.
    const script = 'cat <&3 >/dev/null & echo $!; exec sleep 60 3<&-'
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [line] = await once(parent.stdio[1] as Readable, 'data')
    const pid = Number(String(line))
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n')
    expect(isProcessRunning(pid, processStartTime(pid))).toBe(true)
    ;(parent.stdio[3] as Writable).end()
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2]).toBe('Z')
    expect([isProcessRunning(pid, undefined), isProcessRunning(pid, processStartTime(pid))]).toEqual([
      false,
      false,
    ])
  })
})

describe('isRunning', () => {
  it('checks processes of this machine and returns true for another machine', () => {
    expect(isRunning(ownIdentity())).toBe(true)
    expect(isRunning({ pid: 2 ** 22 + 1, machine: hostname() })).toBe(false)
    expect(isRunning({ pid: 2 ** 22 + 1, machine: `not-${hostname()}` })).toBe(true)
  })

  it('returns true for a container of the same host name, and false for an earlier boot', () => {
    const gone = { ...ownIdentity(), pid: 2 ** 22 + 1 }
    expect([isRunning(gone), isElsewhere(gone)]).toEqual([false, false])
    const [boot = '', , ...id] = gone.space?.split(' ') ?? []
    const container = { ...gone, space: `${boot} pid:[1]` }
    expect([isRunning(container), isElsewhere(container), isAncestor(container)]).toEqual([true, true, false])
    const copy = { ...gone, space: 'earlier pid:[4026531836] another' }
    expect([isRunning(copy), isElsewhere(copy)]).toEqual([true, true])
    if (id.length === 0) return
    const earlier = { ...ownIdentity(), space: ['earlier', 'pid:[4026531836]', ...id].join(' ') }
    expect([isRunning(earlier), isElsewhere(earlier)]).toEqual([false, false])
  })
})

describe('isAncestor', () => {
  it('knows the processes above this one by pid and start, and no other', () => {
    const machine = hostname()
    const above = { pid: process.ppid, machine, started: processStartTime(process.ppid) ?? '' }
    expect(isAncestor(above)).toBe(true)
    expect(isAncestor({ ...above, started: `${above.started}1` })).toBe(false)
    expect(isAncestor({ pid: above.pid, machine })).toBe(false)
    expect(isAncestor({ ...above, machine: 'another' })).toBe(false)
    expect(isAncestor(ownIdentity())).toBe(false)
    expect(isAncestor({ pid: 4_194_305, machine, started: '1' })).toBe(false)
  })
})
