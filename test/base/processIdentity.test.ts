import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isProcessRunning, isRunning, ownIdentity, processStartTime } from '../../src/base/processIdentity.ts'

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
})
