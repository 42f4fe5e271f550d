import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { parseUserFile, putUser } from '../../src/accounts/userFile.ts'
import { changeUserFile } from '../../src/accounts/userFileIo.ts'
import { withLock } from '../../src/accounts/userFileLock.ts'
import { processStartTime } from '../../src/base/processIdentity.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const hash = '$scrypt$ln=15,r=8,p=3$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'
const add = (path: string, user: string): Promise<boolean> =>
  changeUserFile(path, (file) => putUser(file, { user, access: 'full', hash }))
const names = (path: string): string[] => parseUserFile(readFileSync(path, 'utf8')).users.map((it) => it.user)

describe('changeUserFile', () => {
  it('creates the file with mode 0600, reports whether it changed and leaves no temporary file', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users.json')
    expect(await add(path, 'a')).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { ino } = statSync(path)
    expect(await add(path, 'a')).toBe(false)
    expect(statSync(path).ino).toBe(ino)
    expect(readdirSync(folder)).toEqual(['users.json'])
  })

  it('keeps all users of many concurrent writers', async () => {
    const path = join(temporaryFolder(), 'users.json')
    const users = Array.from({ length: 12 }, (_, index) => `user${index}`)
    await Promise.all(users.map((user) => add(path, user)))
    expect(names(path).sort()).toEqual(users.sort())
  })

  it('does not overwrite a file that it cannot read', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users.json')
    writeFileSync(path, 'not ours')
    await expect(add(path, 'a')).rejects.toThrow(`cannot use the user file ${path}: it is not JSON`)
    expect(readFileSync(path, 'utf8')).toBe('not ours')
    expect(readdirSync(folder)).toEqual(['users.json'])
  })

  it('releases the lock if the change throws', async () => {
    const path = join(temporaryFolder(), 'users.json')
    const change = changeUserFile(path, () => {
      throw new Error('no')
    })
    await expect(change).rejects.toThrow('no')
    expect(await add(path, 'a')).toBe(true)
  })

  it('does not follow a link at the path of its temporary file', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users.json')
    const target = join(folder, 'target')
    writeFileSync(target, 'precious')
    symlinkSync(target, `${path}.new`)
    await add(path, 'a')
    expect(readFileSync(target, 'utf8')).toBe('precious')
    expect(statSync(path).isFile()).toBe(true)
  })

  it.skipIf(process.geteuid?.() !== 0)('gives the file to the owner of its folder (needs root)', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users.json')
    chownSync(folder, 1234, 1235)
    await add(path, 'a')
    expect([statSync(path).uid, statSync(path).gid]).toEqual([1234, 1235])
    chownSync(path, 1234, 1237)
    chmodSync(path, 0o644)
    await add(path, 'b')
    expect([statSync(path).uid, statSync(path).gid, statSync(path).mode & 0o777]).toEqual([1234, 1237, 0o600])
  })
})

describe('the user file lock', () => {
  it('is broken if its owner was killed, and several waiting writers lose no user', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users.json')
    const program = join(folder, 'hold', 'holdLock.mjs')
    mkdirSync(join(folder, 'hold'))
    const entry = new URL('../support/holdLock.ts', import.meta.url).pathname
    await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' })
    const owner = spawn(process.execPath, [program, `${path}.lock`], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(owner.stdout, 'data')
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(`${owner.pid} ${processStartTime(owner.pid ?? 0)}\n`)

    let done = false
    const writers = Promise.all(['a', 'b', 'c', 'd'].map((user) => add(path, user))).then((all) => {
      done = true
      return all
    })
    // Held by a living process: nobody comes in.
    const late = withLock({ path: `${path}.lock`, timeout: 60 }, async () => undefined)
    await expect(late).rejects.toThrow(`process ${owner.pid} has held the lock`)
    expect([done, existsSync(path)]).toEqual([false, false])
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await writers).toEqual([true, true, true, true])
    expect(names(path).sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(readdirSync(folder).sort()).toEqual(['hold', 'users.json'])
  })

  it('is broken if its process id was reused', async () => {
    const path = join(temporaryFolder(), 'users.json')
    writeFileSync(`${path}.lock`, `${process.pid} 1\n`)
    expect(await add(path, 'a')).toBe(true)
  })

  it('is broken if its owner died before it wrote its name', async () => {
    const path = join(temporaryFolder(), 'users.json')
    writeFileSync(`${path}.lock`, '')
    expect(await add(path, 'a')).toBe(true)
  })

  it('is waited for only until the timeout, and the error names its owner', async () => {
    const path = join(temporaryFolder(), 'users.json.lock')
    writeFileSync(path, `${process.pid} ${processStartTime('self')}\n`)
    const waiting = withLock({ path, timeout: 60 }, async () => undefined)
    await expect(waiting).rejects.toThrow(
      `process ${process.pid} has held the lock ${path} for too long; if it does not change users, delete the file`,
    )
  })
})
