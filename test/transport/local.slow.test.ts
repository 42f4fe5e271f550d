import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../src/secrets/secret.ts'
import { connectLocal } from '../../src/transport/local.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { TransportError } from '../../src/transport/transportError.ts'
import { servePlain } from '../support/loopbackServer.ts'

let folder: string
let transport: Transport

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-local-'))
  transport = await connectLocal({ host: 'here', env: { ...process.env, ADMIN_PASS: 'hunter2' } })
})

afterEach(async () => {
  await transport.close()
  await rm(folder, { recursive: true, force: true })
})

async function failure(promise: Promise<unknown>): Promise<{ message: string; fix: string }> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof TransportError)) throw error
  expect(error.code).toBe('write-failed')
  return { message: error.message, fix: error.fix }
}

const isRoot = process.getuid?.() === 0

describe('this machine as a host', () => {
  it('runs a script without the secrets of the environment', async () => {
    const { stdout } = await transport.run('env; echo "$PATH"')
    expect(stdout.raw()).not.toContain('hunter2')
    expect(stdout.raw()).toMatch(/:\/usr\/sbin/)
  })

  it('connects to a local listener or returns the error', async () => {
    const path = join(folder, 'api.sock')
    const server = await servePlain((_message, answer) => answer.end(), { path })
    const stream = await transport.dial?.({ socket: path })
    expect(stream).toBeInstanceOf(Duplex)
    if (stream instanceof Duplex) stream.destroy()
    await server.close()
    expect(await transport.dial?.({ socket: path })).toMatchObject({ code: 'ENOENT' })
  })

  it('can be closed twice and at any time, and rejects later runs', async () => {
    await transport.close()
    await transport.close()
    await expect(transport.run('true')).rejects.toMatchObject({ code: 'connection-lost', host: 'here' })
    await expect(transport.run('true')).rejects.toBeInstanceOf(TransportError)
  })

  it('closes although a background process holds the output open', async () => {
    const { stdout } = await transport.run('setsid sleep 60 & echo $!')
    await transport.close()
    process.kill(Number(stdout))
  })

  it('reports that there is no sh', async () => {
    const error = await connectLocal({ host: 'here', env: { PATH: folder } }).catch((reason) => reason)
    expect(error).toBeInstanceOf(TransportError)
    expect(error.message).toBe('sh could not be started on this machine: sh cannot be run: no such program')
  })
})

describe('an upload to this machine', () => {
  it('writes content and mode, and leaves nothing beside the file', async () => {
    const path = join(folder, "it's a file")
    await transport.upload({ path, content: Buffer.from([0, 255, 10, 0]), mode: 0o640 })
    expect(await readFile(path)).toEqual(Buffer.from([0, 255, 10, 0]))
    expect((await stat(path)).mode & 0o7777).toBe(0o640)
    expect(await readdir(folder)).toEqual(["it's a file"])
  })

  it('replaces a file atomically, and a link by a file', async () => {
    const path = join(folder, 'settings')
    await writeFile(join(folder, 'elsewhere'), 'untouched')
    await symlink(join(folder, 'elsewhere'), path)
    await transport.upload({ path, content: new Secret('new é'), mode: 0o600 })
    expect(await readFile(path, 'utf8')).toBe('new é')
    expect(await readFile(join(folder, 'elsewhere'), 'utf8')).toBe('untouched')
  })

  it('writes an empty file', async () => {
    await transport.upload({ path: join(folder, 'empty'), content: Buffer.alloc(0), mode: 0o600 })
    expect((await stat(join(folder, 'empty'))).size).toBe(0)
  })

  it.skipIf(!isRoot)('sets the owner (needs root)', async () => {
    const path = join(folder, 'owned')
    await transport.upload({ path, content: Buffer.from('x'), mode: 0o4755, owner: 'daemon:daemon' })
    expect(await stat(path)).toMatchObject({ uid: 1, gid: 1, mode: 0o104755 })
  })

  it.skipIf(!isRoot)('reports an unknown owner and keeps the old file (needs root)', async () => {
    const path = join(folder, 'owned')
    await writeFile(path, 'old')
    const content = Buffer.from('x')
    expect(await failure(transport.upload({ path, content, mode: 0o600, owner: 'nobody-such' }))).toEqual({
      message: `${path} on here could not be written: chown: invalid user: 'nobody-such'`,
      fix: 'Create that user and group on the host first.',
    })
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['owned'])
  })

  it('refuses to replace a folder', async () => {
    const path = join(folder, 'folder')
    await mkdir(path)
    expect(await failure(transport.upload({ path, content: Buffer.from('x'), mode: 0o600 }))).toEqual({
      message: `${path} on here could not be written: ${path}: Is a directory`,
      fix: 'Move or rename the folder that has the name of this file.',
    })
    expect(await readdir(path)).toEqual([])
  })

  it('reports a missing folder', async () => {
    const path = join(folder, 'missing', 'file')
    const { message, fix } = await failure(
      transport.upload({ path, content: Buffer.alloc(1_000_000), mode: 0o600 }),
    )
    expect(message).toMatch(/could not be written: .*(nonexistent|No such file)/)
    expect(fix).toBe(`Create the folder ${join(folder, 'missing')} on the host first.`)
  })

  it.skipIf(!existsSync('/dev/full'))(
    'keeps the old file when the disk is full (needs /dev/full)',
    async () => {
      const path = join(folder, 'file')
      await writeFile(path, 'old')
      // A dd that writes to a full disk stands for the disk.
      await mkdir(join(folder, 'bin'))
      await writeFile(
        join(folder, 'bin', 'dd'),
        '#!/bin/sh\n[ -f /dev/stdout ] && exec /bin/dd "$@" >/dev/full\nexec /bin/dd "$@"\n',
        { mode: 0o755 },
      )
      const full = await connectLocal({
        host: 'here',
        env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      })
      const { message, fix } = await failure(
        full.upload({ path, content: Buffer.alloc(3_000_000, 1), mode: 0o600 }),
      )
      await full.close()
      expect(message).toMatch(/could not be written: .*No space left on device/)
      expect(fix).toMatch(/^Free space there: df -h /)
      expect(await readFile(path, 'utf8')).toBe('old')
      expect((await readdir(folder)).sort()).toEqual(['bin', 'file'])
    },
  )

  it('writes several files in one request, each with its own mode and content', async () => {
    const at = (name: string): string => join(folder, name)
    await transport.upload(
      { path: at('one'), content: Buffer.from('1\n'), mode: 0o600 },
      { path: at("it's two"), content: new Secret('zwei é'), mode: 0o644 },
      { path: at('none'), content: Buffer.alloc(0), mode: 0o600 },
      { path: at('big'), content: Buffer.alloc(200_000, 'x'), mode: 0o644 },
    )
    const modes = await Promise.all(
      ['one', "it's two", 'none', 'big'].map(async (name) => (await stat(at(name))).mode & 0o777),
    )
    expect(modes).toEqual([0o600, 0o644, 0o600, 0o644])
    expect(await readFile(at('one'), 'utf8')).toBe('1\n')
    expect(await readFile(at("it's two"), 'utf8')).toBe('zwei é')
    expect(await readFile(at('big'), 'utf8')).toBe('x'.repeat(200_000))
    expect((await readdir(folder)).toSorted()).toEqual(['big', "it's two", 'none', 'one'])
  })

  it('changes none of several files if one cannot be written, and names it', async () => {
    await writeFile(join(folder, 'one'), 'old')
    const path = join(folder, 'missing', 'two')
    const { message, fix } = await failure(
      transport.upload(
        { path: join(folder, 'one'), content: Buffer.from('new'), mode: 0o600 },
        { path, content: Buffer.from('x'), mode: 0o600 },
      ),
    )
    expect(message.startsWith(`${path} on here could not be written: `)).toBe(true)
    expect(fix).toBe(`Create the folder ${join(folder, 'missing')} on the host first.`)
    expect(await readFile(join(folder, 'one'), 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['one'])
  })

  it('refuses content with a wrong checksum', async () => {
    const path = join(folder, 'file')
    await mkdir(join(folder, 'bin'))
    await writeFile(
      join(folder, 'bin', 'dd'),
      '#!/bin/sh\n[ -f /dev/stdout ] || exec /bin/dd "$@"\n/bin/dd "$@" | tr a b\n',
      { mode: 0o755 },
    )
    const odd = await connectLocal({
      host: 'here',
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    })
    const { message } = await failure(odd.upload({ path, content: Buffer.from('abc'), mode: 0o600 }))
    await odd.close()
    expect(message).toBe(`${path} on here could not be written: ${path}: checksum mismatch`)
    expect(await readdir(folder)).toEqual(['bin'])
  })

  it('shows no secret in the process list', async () => {
    const watching = transport.run('cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "')
    const uploaded = transport.upload({
      path: join(folder, 'f'),
      content: new Secret('s3cr3t-content'),
      mode: 0o600,
    })
    expect((await watching).stdout.raw()).not.toContain('s3cr3t-content')
    await uploaded
  })
})
