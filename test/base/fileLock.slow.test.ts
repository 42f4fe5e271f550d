import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type LockFormat, type LockOwner, takeLock } from '../../src/base/fileLock.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** Locks that hold their id; owners whose id begins with `dead` are gone. */
const formatOf = (id: string): LockFormat<LockOwner> => ({
  mode: 0o640,
  ownText: () => `${id}\n`,
  read: (path) => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  },
  parse: (text) => {
    if (!text.endsWith('\n')) throw new Error('no lock')
    return { id: text.trim() }
  },
  isRunning: (owner) => !owner.id.startsWith('dead'),
})

const free = () => {
  const folder = temporaryFolder()
  return { folder, path: join(folder, 'lock') }
}

describe('a lock file', () => {
  it('is held by one owner, who is reported, until it is released', async () => {
    const { folder, path } = free()
    const lock = await takeLock(path, formatOf('a'))
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['a\n', 0o640])
    expect(await takeLock(path, formatOf('b'))).toEqual({ heldBy: { id: 'a' } })
    if ('release' in lock) await lock.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('of a dead owner is acquired by one of many processes and leaves no other file', async () => {
    const { folder, path } = free()
    writeFileSync(path, 'dead1\n')
    writeFileSync(`${path}.dead1`, 'dead2\n')
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, index) => takeLock(path, formatOf(String(index)))),
    )
    expect(tries.filter((one) => 'release' in one)).toHaveLength(1)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('without an owner is broken after a second', async () => {
    const { path } = free()
    writeFileSync(path, '')
    expect(await takeLock(path, formatOf('a'))).toHaveProperty('release')
    expect(readFileSync(path, 'utf8')).toBe('a\n')
  })

  it('of another format is not changed', async () => {
    const { path } = free()
    writeFileSync(path, 'hello')
    await expect(takeLock(path, formatOf('a'))).rejects.toThrow('no lock')
    expect(readFileSync(path, 'utf8')).toBe('hello')
  })

  it('of another process is not removed by a late release', async () => {
    const { path } = free()
    const lock = await takeLock(path, formatOf('a'))
    writeFileSync(path, 'b\n')
    if ('release' in lock) await lock.release()
    expect(readFileSync(path, 'utf8')).toBe('b\n')
  })
})
