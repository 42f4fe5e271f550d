import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  openRuntimeCache,
  readCachedRuntime,
  runtimeCache,
  sizeOfRuntimeCache,
  writeCachedRuntime,
} from '../../../src/deployment/runtime/runtimeCache.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const other = 65534
const isRoot = process.geteuid?.() === 0

describe('the runtime cache folder', () => {
  it('is never below the temporary directory', () => {
    const { homedir } = userInfo()
    expect(runtimeCache({})).toBe(join(homedir, '.cache', 'muster', 'runtimes'))
    expect(runtimeCache({ HOME: '/home/ops', XDG_CACHE_HOME: 'relative' })).toBe(
      '/home/ops/.cache/muster/runtimes',
    )
  })

  it('is created for its user only, and restricted if it was open to others', async () => {
    const home = temporaryFolder()
    const cache = await openRuntimeCache({ HOME: home })
    const mode = (path: string): number => statSync(path).mode & 0o777
    expect([mode(cache), mode(join(home, '.cache', 'muster'))]).toEqual([0o700, 0o700])
    chmodSync(cache, 0o777)
    await openRuntimeCache({ HOME: home })
    expect(mode(cache)).toBe(0o700)
  })

  it('tells its size once it holds a file', async () => {
    const env = { HOME: temporaryFolder() }
    expect(await sizeOfRuntimeCache(env)).toBeUndefined()
    const folder = await openRuntimeCache(env)
    expect(await sizeOfRuntimeCache(env)).toBeUndefined()
    writeFileSync(join(folder, 'a.gz'), 'x'.repeat(10))
    writeFileSync(join(folder, 'b.gz'), 'x'.repeat(20))
    expect(await sizeOfRuntimeCache(env)).toEqual({ folder, bytes: 30 })
  })

  it.each(['muster', 'muster/runtimes'])('is rejected if %s is a link', async (name) => {
    const [home, elsewhere] = [temporaryFolder(), temporaryFolder()]
    const link = join(home, '.cache', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(elsewhere, link)
    await expect(openRuntimeCache({ HOME: home })).rejects.toMatchObject({
      code: 'runtime-cache-unfit',
      message: expect.stringContaining('it is a link or not a folder'),
    })
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it.runIf(isRoot)('is rejected if another user owns it or its parent (needs root)', async () => {
    const home = temporaryFolder()
    const cache = await openRuntimeCache({ HOME: home })
    chownSync(cache, other, other)
    const refusal = { code: 'runtime-cache-unfit', message: expect.stringContaining('another user') }
    await expect(openRuntimeCache({ HOME: home })).rejects.toMatchObject(refusal)
    const theirs = temporaryFolder()
    chownSync(theirs, other, other)
    await expect(openRuntimeCache({ HOME: theirs })).rejects.toMatchObject(refusal)
    expect(readdirSync(theirs), 'root made nothing there').toEqual([])
  })
})

describe('a cached runtime', () => {
  const binary = Buffer.from('the binary')
  const digest = createHash('sha256').update(binary).digest('hex')

  it('is used only if it unpacks to the expected binary', async () => {
    const path = join(temporaryFolder(), 'node.gz')
    expect(await readCachedRuntime(path, digest)).toBeUndefined()
    await writeCachedRuntime(path, gzipSync(binary))
    expect(await readCachedRuntime(path, digest)).toEqual(gzipSync(binary))
    for (const bytes of [gzipSync('another'), gzipSync(binary).subarray(0, 20), Buffer.from('x')]) {
      await writeCachedRuntime(path, bytes)
      expect(await readCachedRuntime(path, digest)).toBeUndefined()
    }
  })

  it('is not read through a link, from a folder or from a file of another user', async () => {
    const folder = temporaryFolder()
    const [real, link] = [join(folder, 'real.gz'), join(folder, 'link.gz')]
    writeFileSync(real, gzipSync(binary))
    symlinkSync(real, link)
    expect(await readCachedRuntime(link, digest)).toBeUndefined()
    expect(await readCachedRuntime(folder, digest)).toBeUndefined()
    if (!isRoot) return
    chownSync(real, other, other)
    expect(await readCachedRuntime(real, digest)).toBeUndefined()
  })

  it('replaces the previous file, leaves no other file, and reports write errors', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'node.gz')
    await writeCachedRuntime(path, Buffer.from('old'))
    await writeCachedRuntime(path, gzipSync(binary))
    expect(readdirSync(folder)).toEqual(['node.gz'])
    mkdirSync(join(folder, 'taken'))
    await expect(writeCachedRuntime(join(folder, 'taken'), binary)).rejects.toMatchObject({
      code: 'runtime-cache-unfit',
    })
    expect(readdirSync(folder).sort()).toEqual(['node.gz', 'taken'])
  })
})
