import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { processStartTime } from '../../../src/base/processIdentity.ts'
import { lockState } from '../../../src/deployment/state/lockState.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const now = new Date('2026-03-10T12:00:00Z')
const place = () => ({ directory: temporaryFolder(), cluster: 'alpha' })
type Place = ReturnType<typeof place>
const folder = (where: Place): string => join(where.directory, '.muster', 'alpha')
const leave = (where: Place, owner: object | string): void => {
  mkdirSync(folder(where), { recursive: true })
  writeFileSync(join(folder(where), 'lock'), typeof owner === 'string' ? owner : `${JSON.stringify(owner)}\n`)
}
const owner = {
  pid: process.pid,
  started: processStartTime('self'),
  machine: hostname(),
  id: '00000000-0000-4000-8000-000000000000',
  since: '2026-03-10T11:00:00.000Z',
}
/** Nothing runs under this number: it is above what Linux gives out. */
const nobody = 4_194_305

describe('the lock of a state', () => {
  it('leaves no empty folder and no other change', async () => {
    const where = place()
    const lock = await lockState(where, now)
    await lock.release()
    expect(readdirSync(where.directory)).toEqual([])

    mkdirSync(join(where.directory, '.muster', 'beta'), { recursive: true })
    await (await lockState(where, now)).release()
    expect(readdirSync(join(where.directory, '.muster')).sort()).toEqual(['.gitignore', 'beta'])

    const kept = await lockState(where, now)
    writeFileSync(join(folder(where), 'authority.crt'), 'x')
    await kept.release()
    expect(readdirSync(folder(where))).toEqual(['authority.crt'])
  })

  it('is held by one process, which is reported, until it is released', async () => {
    const where = place()
    const lock = await lockState(where, now)
    const path = join(folder(where), 'lock')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      pid: process.pid,
      since: now.toISOString(),
    })
    await expect(lockState(where, now)).rejects.toMatchObject({
      name: 'StateError',
      code: 'locked',
      message: `another muster run holds this cluster's state: process ${process.pid} on ${hostname()}, since ${now.toISOString()}`,
    })
    await lock.release()
    expect(existsSync(folder(where))).toBe(false)
    await (await lockState(where, now)).release()
  })

  it('is one per cluster', async () => {
    const where = place()
    await lockState(where, now)
    await (await lockState({ ...where, cluster: 'beta' }, now)).release()
  })

  it.each([
    ['a process that is gone', { ...owner, pid: nobody }],
    ['an earlier process with the same number', { ...owner, started: '1' }],
  ])('is acquired at once by one of many from %s', async (_, dead) => {
    const where = place()
    leave(where, dead)
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockState(where, now)))
    const won = tries.filter((one) => one.status === 'fulfilled')
    expect(won.length).toBe(1)
    for (const one of tries)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'locked' })
    await won[0]?.value.release()
    expect(existsSync(folder(where))).toBe(false)
  })

  it('is acquired from a dead process even if another one died while breaking it', async () => {
    const where = place()
    leave(where, { ...owner, pid: nobody })
    const breaker = { ...owner, pid: nobody, id: '11111111-1111-4111-8111-111111111111' }
    writeFileSync(join(folder(where), `lock.${owner.id}`), `${JSON.stringify(breaker)}\n`)
    await (await lockState(where, now)).release()
    expect(existsSync(folder(where))).toBe(false)
  })

  it('is not broken for another machine or an unknown owner', async () => {
    const where = place()
    leave(where, { ...owner, pid: nobody, machine: 'elsewhere' })
    await expect(lockState(where, now)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${nobody} on elsewhere`) as unknown,
      fix: expect.stringContaining(`delete ${join(folder(where), 'lock')}`) as unknown,
    })
    leave(where, 'hello')
    await expect(lockState(where, now)).rejects.toMatchObject({ code: 'locked' })
  })

  it('is not removed by a late release', async () => {
    const where = place()
    const lock = await lockState(where, now)
    leave(where, owner)
    await lock.release()
    expect(JSON.parse(readFileSync(join(folder(where), 'lock'), 'utf8'))).toEqual(owner)
  })

  it('is held by another process until that is killed', { timeout: 60_000 }, async () => {
    const where = place()
    const program = join(temporaryFolder(), 'hold.mjs')
    await build({
      entryPoints: [new URL('holdStateLock.ts', import.meta.url).pathname],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    })
    const child = spawn(process.execPath, [program, where.directory, where.cluster], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await once(child.stdout, 'data')
      await expect(lockState(where, now)).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringContaining(`process ${child.pid} on`) as unknown,
      })
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await (await lockState(where, now)).release()
  })
})
