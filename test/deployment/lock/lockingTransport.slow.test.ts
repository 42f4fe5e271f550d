import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, uptime } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isProcessRunning, processStartTime } from '../../../src/base/processIdentity.ts'
import { lockingTransport } from '../../../src/deployment/lock/lockingTransport.ts'
import type { RunOwner } from '../../../src/deployment/lock/runOwner.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import type { Environment } from '../../../src/processes/environment.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { lockFolder, lockPlace } from '../../support/lockFolder.ts'
import { rawResult } from '../../support/rawResult.ts'

const started = processStartTime('self')

const me: RunOwner = {
  id: '20260102T030405Z-000001',
  operation: 'install',
  cluster: 'alpha',
  user: "o'brien",
  machine: 'here',
  machineId: 'a',
  pid: process.pid,
  ...(started === undefined ? {} : { started }),
}
const other: RunOwner = { ...me, id: '20260102T030405Z-000002', machine: 'elsewhere', machineId: 'b', pid: 1 }

describe.skipIf(process.platform !== 'linux')(
  'a transport that holds the lock of its host (needs Linux)',
  () => {
    let installDirectory: string
    let open: Transport[]
    const lock = () => lockFolder(installDirectory)

    async function connect(
      owner: RunOwner,
      { beforeNext = () => '', env = process.env }: { beforeNext?: () => string; env?: Environment } = {},
    ): Promise<Transport> {
      const transport = await connectLocal({ host: 'db1', env })
      open.push(transport)
      return lockingTransport(transport, { installDirectory, owner, runs: isProcessRunning, beforeNext })
    }
    const refusal = async (owner: RunOwner): Promise<StepError> => {
      const transport = await connect(owner)
      const error: unknown = await transport.run('echo never').catch((reason: unknown) => reason)
      await transport.close()
      if (error instanceof StepError) return error
      throw new Error(`no refusal but ${JSON.stringify(error)}`)
    }
    /** What a run left behind whose last heartbeat was so many seconds ago. */
    const leave = (owner: RunOwner, seconds: number): void => {
      mkdirSync(lockPlace, { recursive: true, mode: 0o700 })
      mkdirSync(lock())
      writeFileSync(join(lock(), 'id'), `${owner.id}\n`)
      writeFileSync(join(lock(), 'owner'), JSON.stringify(owner))
      const then = new Date('2026-01-02T03:04:05Z')
      utimesSync(join(lock(), 'id'), then, then)
      writeFileSync(join(lock(), 'beat'), `${Math.floor(uptime()) - seconds}\n`)
    }

    beforeEach(() => {
      installDirectory = mkdtempSync(join(tmpdir(), 'muster-lock-'))
      open = []
    })
    afterEach(async () => {
      await Promise.all(open.map((transport) => transport.close()))
      rmSync(lock(), { recursive: true, force: true })
      rmSync(installDirectory, { recursive: true })
    })

    it('is acquired with the first script, keeps its output, and is released on close', async () => {
      const transport = await connect(me)
      expect(rawResult(await transport.run('cat; echo "code 3"; exit 3', { stdin: 'in\n' }))).toMatchObject({
        code: 3,
        stdout: 'in\ncode 3\n',
        stderr: '',
      })
      expect(JSON.parse(readFileSync(join(lock(), 'owner'), 'utf8'))).toEqual(me)
      await transport.close()
      expect(existsSync(lock())).toBe(false)
    })

    it('is announced before a long script', async () => {
      const transport = await connect(me)
      await transport.run(':')
      const sign = (): number => Number(readFileSync(join(lock(), 'sign'), 'utf8'))
      const before = sign()
      await transport.run(':', { timeout: 60_000 })
      expect(sign()).toBe(before)
      const answer = await transport.run('echo done', { timeout: 3_600_000 })
      expect(answer.stdout.raw()).toBe('done\n')
      expect(sign()).toBeGreaterThanOrEqual(before + 3600)
    })

    it('leaves no process', async () => {
      // Left to itself it would see with its next beat that the lock is gone, which is this far away here.
      writeFileSync(join(installDirectory, 'sleep'), '#!/bin/sh\nexec /bin/sleep 100\n', { mode: 0o755 })
      const transport = await connect(me, {
        env: { ...process.env, PATH: `${installDirectory}:${process.env.PATH}` },
      })
      await transport.run('')
      const beater = Number(readFileSync(join(lock(), 'beater'), 'utf8'))
      expect(isProcessRunning(beater, undefined)).toBe(true)
      await transport.close()
      await expect.poll(() => isProcessRunning(beater, undefined)).toBe(false)
    })

    it('blocks another run, which reports its owner and runs no script', async () => {
      const first = await connect(other)
      await first.run('')
      const marker = join(installDirectory, 'marker')
      const second = await connect(me)
      await expect(second.run(`touch ${marker}`)).rejects.toMatchObject({ code: 'locked', host: 'db1' })
      expect(existsSync(marker)).toBe(false)
      await second.close()
      const { message, fix } = await refusal(me)
      expect(message).toMatch(
        /^another run holds the lock of this host: `muster install` of o'brien on elsewhere \(run 20260102T030405Z-000002, process 1\), since 20\d\d-\S+Z, last heartbeat \d s ago$/,
      )
      expect(fix).toContain('`muster lock release`')
      expect(fix).not.toContain('kill')
      await first.close()
      await (await connect(me)).run('')
    })

    it('is acquired by one of many concurrent runs', async () => {
      const all = await Promise.all(
        Array.from({ length: 6 }, (_, index) => connect({ ...me, id: `run-${index}` })),
      )
      const results = await Promise.allSettled(all.map((transport) => transport.run('echo mine')))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const losses = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
      expect(losses).toEqual(Array(5).fill('locked'))
      await Promise.all(all.map((transport) => transport.close()))
      expect(existsSync(lock())).toBe(false)
    })

    it.each([
      ['20 s without a heartbeat is held', 20, 'locked'],
      ['31 s without one is stale', 31, undefined],
      ['one of another boot is stale', -100, undefined],
    ])('of another machine is handled: %s', async (_, seconds, code) => {
      leave(other, seconds)
      const transport = await connect(me)
      const outcome = await transport.run('echo mine').then(rawResult, (error: unknown) => error)
      expect(outcome).toMatchObject(code === undefined ? { stdout: 'mine\n' } : { code })
      await transport.close()
    })

    it('of a dead process of this machine is broken at once, and of a living one never', async () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      const pid = child.pid ?? 0
      const begun = processStartTime(pid)
      const dead = { ...me, id: 'run-dead', pid, ...(begun === undefined ? {} : { started: begun }) }
      leave(dead, 0)
      expect((await refusal(me)).fix).toContain(`kill ${pid}`)
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      expect(rawResult(await (await connect(me)).run('echo mine'))).toMatchObject({ stdout: 'mine\n' })
    })

    it('waits for the running script of an ended run', async () => {
      const marker = join(installDirectory, 'marker')
      const script = spawn('sh', ['-c', `sleep 1; touch ${marker}`])
      leave({ ...me, id: 'run-dead', pid: 2 ** 22 + 1, started: '1' }, 0)
      writeFileSync(join(lock(), 'shell'), `${script.pid} ${processStartTime(script.pid ?? 0)}\n`)
      const transport = await connect(me)
      expect(rawResult(await transport.run(`[ -e ${marker} ] && echo after it`))).toMatchObject({
        stdout: 'after it\n',
      })
      await transport.close()
    })

    it('that is stale is acquired by one of many runs', async () => {
      leave(other, 31)
      const all = await Promise.all(
        Array.from({ length: 6 }, (_, index) => connect({ ...me, id: `run-${index}` })),
      )
      const results = await Promise.allSettled(all.map((transport) => transport.run('')))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    it('is released within seconds if its shell has ended, unless another run has it', async () => {
      const transport = await connect(other)
      const shell = Number((await transport.run('echo $$')).stdout.raw())
      process.kill(shell, 'SIGKILL')
      await expect.poll(() => existsSync(lock())).toBe(false)
    })

    it('that another run acquired meanwhile is kept', async () => {
      const transport = await connect(me)
      await transport.run('')
      rmSync(lock(), { recursive: true })
      leave(other, 0)
      await transport.close()
      expect(readdirSync(lock())).toContain('owner')
    })

    it('carries pending records with the next script and with the last one', async () => {
      const file = join(installDirectory, 'log')
      const waiting: string[] = []
      const beforeNext = (): string =>
        waiting
          .splice(0)
          .map((line) => `echo ${line} >> ${file}\n`)
          .join('')
      const transport = await connect(me, { beforeNext })
      await transport.run('')
      waiting.push('one')
      expect((await transport.run(`cat ${file}`)).stdout.raw()).toBe('one\n')
      waiting.push('two')
      await transport.close()
      expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    })
  },
)
