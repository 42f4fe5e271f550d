import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  processFunctions,
  startProcesses,
  stopProcesses,
} from '../../../src/deployment/services/processManager.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { endProcesses } from '../../scenarios/support/pids.ts'
import { serviceSet } from '../../support/deploymentValues.ts'
import { eventually } from '../../support/eventually.ts'
import { rawResult } from '../../support/rawResult.ts'

const nobody = 65534
const boot = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
const born = (pid: number | undefined): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

describe.skipIf(process.getuid?.() !== 0)('components as processes of another user (needs root)', () => {
  let folder = ''
  const at = (path: string): string => join(folder, path)
  const set = () => ({
    ...serviceSet({ manager: 'process', account: { user: 'nobody', isOther: true }, root: folder }),
    components: ['manager'] as const,
  })
  const run = async (script: string) => {
    const transport = await connectLocal({ host: 'db1', env: process.env })
    const result = rawResult(await transport.run(script, { timeout: 30_000 }))
    await transport.close()
    return result
  }
  const running = async (): Promise<string> =>
    (await run(`${processFunctions(set())}\nif running manager; then echo "$pid"; fi`)).stdout.trim()
  const theirs = (path: string): void => {
    mkdirSync(at(path), { recursive: true })
    chownSync(at(path), nobody, nobody)
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster own'-"))
    chmodSync(folder, 0o755)
    mkdirSync(at('share/processes'), { recursive: true })
    theirs('data')
    mkdirSync(at('current'))
    symlinkSync('/bin/sh', at('current/node'))
    writeFileSync(
      at('current/muster-api.cjs'),
      'id -u\necho "$MALLOC_ARENA_MAX"\nwhile :; do sleep 0.1; done\n',
    )
    writeFileSync(at('share/manager.json'), '{}')
  })
  afterEach(() => {
    endProcesses(folder)
    rmSync(folder, { recursive: true, force: true })
  })

  it("run as that user with a log of that user, and are recognized by root's own record", async () => {
    expect(await run(startProcesses(set()))).toMatchObject({ code: 0, stdout: '', stderr: '' })
    await eventually(() => expect(readFileSync(at('data/manager.log'), 'utf8')).toBe(`${nobody}\n2\n`))
    const pid = Number(await running())
    expect(readFileSync(at('share/processes/manager'), 'utf8')).toBe(`${pid} ${born(pid)} ${boot()}\n`)
    expect([statSync(`/proc/${pid}`).uid, statSync(at('share/processes/manager')).uid]).toEqual([nobody, 0])
    const { uid, mode } = statSync(at('data/manager.log'))
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: nobody, mode: 0o600 })
    // A second start leaves it alone.
    await run(startProcesses(set()))
    expect(Number(await running())).toBe(pid)
    expect(await run(stopProcesses({ ...set(), drainTimeout: 0 }))).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(at('share/processes/manager'))).toBe(false)
    expect(await running()).toBe('')
  })

  it('do not write their log through a link to a file of root', async () => {
    writeFileSync(at('profile'), 'of root\n', { mode: 0o644 })
    symlinkSync(at('profile'), at('data/manager.log'))
    await run(startProcesses(set()))
    await eventually(async () => expect(await running()).toBe(''))
    expect(readFileSync(at('profile'), 'utf8')).toBe('of root\n')
    rmSync(at('data/manager.log'))
    symlinkSync(at('new'), at('data/manager.log'))
    await run(startProcesses(set()))
    await eventually(async () => expect(await running()).toBe(''))
    expect(existsSync(at('new'))).toBe(false)
  })

  it('do not wait if their log is a pipe, and report it', async () => {
    execFileSync('mkfifo', [at('data/manager.log')])
    const { code, stderr } = await run(`${startProcesses(set())}\nwait`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${at('data/manager.log')} is not a regular file\n` })
    expect(await running()).toBe('')
  })

  it('are never taken from a file of theirs, so that no other process is signalled', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    await once(child, 'spawn')
    theirs('data')
    try {
      writeFileSync(at('data/manager.pid'), `${child.pid} ${born(child.pid)} /usr/bin/node\n`)
      await run(`${processFunctions(set())}\nstop manager 2`)
      expect(child.exitCode ?? child.signalCode).toBeNull()
      expect(existsSync(`/proc/${child.pid}/fd`)).toBe(true)
      // What root wrote goes before it.
      writeFileSync(at('share/processes/manager'), `${child.pid} 1 ${boot()}\n`)
      expect(await running()).toBe('')
    } finally {
      child.kill()
    }
  })
})
