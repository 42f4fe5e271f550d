import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { processStartTime } from '../../../src/base/processIdentity.ts'
import { lockState, stateLocks } from '../../../src/deployment/state/lockState.ts'
import { withStateGate } from '../../../src/deployment/state/stateGate.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const now = new Date('2026-03-10T12:00:00Z')
const place = () => ({ directory: temporaryFolder(), cluster: 'alpha' })
type Place = ReturnType<typeof place>
const folder = (where: Place): string => join(where.directory, '.muster', 'alpha')
const id = '00000000-0000-4000-8000-000000000000'
const owner = {
  pid: process.pid,
  started: processStartTime('self'),
  machine: hostname(),
  id,
  since: '2026-03-10T11:00:00.000Z',
  operation: 'install',
  hosts: ['db1', 'db2'],
}
const lockFile = (where: Place): string => join(folder(where), `lock-run-${id}`)
const leave = (where: Place, content: object | string, path = lockFile(where)): void => {
  mkdirSync(folder(where), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content)}\n`)
}
/** A state that has what the first run makes, so that locks are for hosts. */
const installed = (): Place => {
  const where = place()
  mkdirSync(folder(where), { recursive: true })
  writeFileSync(join(folder(where), 'secrets.json'), '{}')
  return where
}
const locksOf = (where: Place): readonly string[] =>
  readdirSync(folder(where)).filter((name) => name.startsWith('lock'))
/** Nothing runs under this number: it is above what Linux gives out. */
const nobody = 4_194_305

describe('the lock of a state', () => {
  it('removes what was left by a process that was killed while it took the place of a dead one', async () => {
    const where = installed()
    leave(where, { ...owner, pid: nobody }, join(folder(where), `lock.${id}`))
    await (await lockState(where, { now })).release()
    expect(locksOf(where)).toEqual([])
  })

  it('leaves no empty folder and no other change', async () => {
    const where = place()
    const lock = await lockState(where, { now })
    await lock.release()
    expect(readdirSync(where.directory)).toEqual([])

    mkdirSync(join(where.directory, '.muster', 'beta'), { recursive: true })
    await (await lockState(where, { now })).release()
    expect(readdirSync(join(where.directory, '.muster')).sort()).toEqual(['.gitignore', 'beta'])

    const kept = await lockState(where, { now })
    writeFileSync(join(folder(where), 'authority.crt'), 'x')
    await kept.release()
    expect(readdirSync(folder(where))).toEqual(['authority.crt'])
  })

  it('is held by one process, which is reported, until it is released', async () => {
    const where = place()
    const lock = await lockState(where, { now, operation: 'install', hosts: ['db1'] })
    const [path = ''] = locksOf(where)
    expect(statSync(join(folder(where), path)).mode & 0o777).toBe(0o600)
    // Without secrets, which the first run makes for all hosts, one host is all of them.
    expect(await stateLocks(where)).toMatchObject([
      { pid: process.pid, since: now.toISOString(), operation: 'install', hosts: 'all' },
    ])
    await expect(lockState(where, { now, hosts: ['db2'] })).rejects.toMatchObject({
      name: 'StateError',
      code: 'locked',
      message: `another muster run holds this cluster's state: \`muster install\`, process ${process.pid} on ${hostname()}, since ${now.toISOString()}`,
      fix: `wait until it ends, or end it: kill ${process.pid}`,
    })
    await expect(lockState(where, { now, hasLockWait: true })).rejects.toMatchObject({
      fix: `wait until it ends, for example with --lock-wait 5m, or end it: kill ${process.pid}`,
    })
    await lock.release()
    expect(existsSync(folder(where))).toBe(false)
    await (await lockState(where, { now })).release()
  })

  it('is one per cluster', async () => {
    const where = place()
    await lockState(where, { now })
    await (await lockState({ ...where, cluster: 'beta' }, { now })).release()
  })

  it('is shared by runs of different hosts, and names those that two runs share', async () => {
    const where = installed()
    const first = await lockState(where, { now, operation: 'install', hosts: ['db1', 'db2', 'db3'] })
    const second = await lockState(where, { now, hosts: ['db4'] })
    await expect(lockState(where, { now, hosts: ['db0', 'db2', 'db3'] })).rejects.toMatchObject({
      code: 'locked',
      message: `another muster run holds db2 and db3: \`muster install\`, process ${process.pid} on ${hostname()}, since ${now.toISOString()}`,
    })
    await expect(lockState(where, { now })).rejects.toMatchObject({ code: 'locked' })
    await first.release()
    await (await lockState(where, { now, hosts: ['db2'] })).release()
    await second.release()
    const all = await lockState(where, { now })
    await expect(lockState(where, { now, hosts: ['db2'] })).rejects.toMatchObject({
      message: expect.stringContaining("holds this cluster's state") as unknown,
    })
    await all.release()
    expect(locksOf(where)).toEqual([])
  })

  it.each([
    ['a process that is gone', { ...owner, pid: nobody }],
    ['an earlier process with the same number', { ...owner, started: '1' }],
    ['a process that was killed before it wrote it', ''],
  ])('is acquired at once by one of many from %s', async (_, dead) => {
    const where = place()
    leave(where, dead)
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockState(where, { now })))
    const won = tries.filter((one) => one.status === 'fulfilled')
    expect(won.length).toBe(1)
    for (const one of tries)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'locked' })
    await won[0]?.value.release()
    expect(existsSync(folder(where))).toBe(false)
  })

  it('is acquired where a process was killed while it wrote the names of its hosts', async () => {
    const where = place()
    leave(where, '{"pid":1,"hosts":["db1', join(folder(where), `lock-new-${id}`))
    expect(await stateLocks(where)).toEqual([])
    await (await lockState(where, { now })).release()
    expect(existsSync(folder(where))).toBe(false)
  })

  it('is acquired by all of many at once whose hosts differ', async () => {
    const where = installed()
    const locks = await Promise.all(
      Array.from({ length: 20 }, (_, index) => lockState(where, { now, hosts: [`db${index}`] })),
    )
    expect(await stateLocks(where)).toHaveLength(20)
    await Promise.all(locks.map((lock) => lock.release()))
    expect(locksOf(where)).toEqual([])
  })

  it('is not broken for another machine or an unknown owner', async () => {
    const where = place()
    leave(where, { ...owner, pid: nobody, machine: 'elsewhere' })
    await expect(lockState(where, { now })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${nobody} on elsewhere`) as unknown,
      fix: expect.stringContaining('release its lock: muster lock release') as unknown,
    })
    for (const content of ['hello', { ...owner, hosts: [1] }, { ...owner, id: owner.id.replace('4', '5') }]) {
      leave(where, content)
      await expect(lockState(where, { now })).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringContaining('is not a lock of muster') as unknown,
      })
    }
  })

  it('is held by another process until that is killed', async () => {
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
      await expect(lockState(where, { now })).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringContaining(`process ${child.pid} on`) as unknown,
      })
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await (await lockState(where, { now })).release()
  })
})

describe('the gate of a state', () => {
  it('lets one in at a time', async () => {
    const where = installed()
    let inside = 0
    const seen = await Promise.all(
      Array.from({ length: 10 }, () =>
        withStateGate(where, async () => {
          inside += 1
          await new Promise((resolve) => setImmediate(resolve))
          const now = inside
          inside -= 1
          return now
        }),
      ),
    )
    expect(seen).toEqual(Array(10).fill(1))
    expect(locksOf(where)).toEqual([])
  })

  it('opens after its process died, even if another one died while breaking it', async () => {
    const where = place()
    leave(where, { ...owner, pid: nobody }, join(folder(where), 'lock'))
    const breaker = { ...owner, pid: nobody, id: '11111111-1111-4111-8111-111111111111' }
    leave(where, breaker, join(folder(where), `lock.${id}`))
    await (await lockState(where, { now })).release()
    expect(existsSync(folder(where))).toBe(false)
  })
})
