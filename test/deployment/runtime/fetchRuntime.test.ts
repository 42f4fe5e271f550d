import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fetchRuntime, readRuntimeFile } from '../../../src/deployment/runtime/fetchRuntime.ts'
import { pinnedRuntime } from '../../../src/deployment/runtime/pinnedRuntime.ts'
import { runtimeCache } from '../../../src/deployment/runtime/runtimeCache.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-runtime-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The first bytes of an ELF file for a processor, as elf(5) lays them out. */
function elf(machine: number): Buffer {
  const header = Buffer.alloc(64)
  header.write('\x7fELF', 'latin1')
  header.writeUInt16LE(machine, 18)
  return header
}

function file(name: string, content: Buffer): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

describe('readRuntimeFile', () => {
  it.each([
    ['x64', 0x3e],
    ['arm64', 0xb7],
  ])('accepts a binary for %s', async (architecture, machine) => {
    const binary = elf(machine)
    const read = await readRuntimeFile({ path: file('node', binary), env: process.env })
    expect(read).toMatchObject({ architecture, sha256: sha256(binary) })
    expect(gunzipSync(read.packed)).toEqual(binary)
  })

  it.each(['.tar.gz', '.tar.xz'])('extracts the binary from a Node.js archive (%s)', async (ending) => {
    const binary = elf(0x3e)
    file('node-v24.0.0-linux-x64/bin/node', binary)
    const path = join(folder, `node${ending}`)
    execFileSync('tar', ['-caf', path, '-C', folder, 'node-v24.0.0-linux-x64'])
    const read = await readRuntimeFile({ path, env: process.env })
    expect(read).toMatchObject({ architecture: 'x64', sha256: sha256(binary) })
  })

  it.each([
    ['is not there', (): string => join(folder, 'absent'), 'cannot be read'],
    [
      'is a script',
      (): string => file('node', Buffer.from('#!/bin/sh\n')),
      'is not a Node.js binary for Linux',
    ],
    ['is for another processor', (): string => file('node', elf(0x16)), 'is not a Node.js binary for Linux'],
  ])('reports a file that %s', async (_, path, message) => {
    await expect(readRuntimeFile({ path: path(), env: process.env })).rejects.toMatchObject({
      code: 'runtime-file-unfit',
      message: expect.stringContaining(message),
    })
  })

  it.each([
    ['an option of tar, which would run a program', '--to-command=touch made-by-tar;'],
    ['outside of it', '..'],
  ])('takes no path of an archive that is %s', async (_, name) => {
    const archive = join(folder, 'node.tar.gz')
    file('from/top/bin/node', elf(0x3e))
    const rename = `--transform=s|^top|${name}|`
    execFileSync('tar', ['-czPf', archive, '-C', join(folder, 'from'), rename, 'top/bin/node'])
    await expect(readRuntimeFile({ path: archive, env: process.env })).rejects.toMatchObject({
      message: expect.stringContaining('contains no bin/node'),
    })
    expect(readdirSync('.')).not.toContain('made-by-tar')
  })

  it('follows no link of an archive, and waits for no pipe', async () => {
    const archive = join(folder, 'node.tar.gz')
    const binary = file('elsewhere', elf(0x3e))
    mkdirSync(join(folder, 'node/bin'), { recursive: true })
    for (const make of [
      () => symlinkSync(binary, join(folder, 'node/bin/node')),
      () => execFileSync('mkfifo', [join(folder, 'node/bin/node')]),
    ]) {
      rmSync(join(folder, 'node/bin/node'), { force: true })
      make()
      execFileSync('tar', ['-czf', archive, '-C', folder, 'node'])
      await expect(readRuntimeFile({ path: archive, env: process.env })).rejects.toMatchObject({
        code: 'runtime-file-unfit',
        message: expect.stringContaining('bin/node is not a regular file'),
      })
    }
  })

  it.each([
    ['waits for no pipe', (path: string) => execFileSync('mkfifo', [path]), 'is not a regular file'],
    ['reads no device', (path: string) => symlinkSync('/dev/zero', path), 'is not a regular file'],
    [
      'reads nothing of a file that is too large',
      (path: string) => {
        writeFileSync(path, '')
        truncateSync(path, 2 ** 40)
      },
      'is larger than 512 MiB',
    ],
  ])('%s', async (_, make, reason) => {
    const path = join(folder, 'node')
    make(path)
    await expect(readRuntimeFile({ path, env: process.env })).rejects.toMatchObject({
      code: 'runtime-file-unfit',
      message: `--runtime-file ${path} ${reason}`,
    })
  })

  it('reports an archive without bin/node', async () => {
    file('other/readme', Buffer.from('x'))
    const path = join(folder, 'other.tar.gz')
    execFileSync('tar', ['-czf', path, '-C', folder, 'other'])
    await expect(readRuntimeFile({ path, env: process.env })).rejects.toMatchObject({
      message: expect.stringContaining('contains no bin/node'),
    })
  })
})

describe('fetchRuntime', () => {
  const name = `node-${pinnedRuntime.version}-linux-x64.gz`
  const { signal } = new AbortController()

  it.each([
    ['damaged', Buffer.from('damaged')],
    ['another program', gzipSync(elf(0x3e))],
  ])('never uses a cached file that is %s, whatever a checksum file says', async (_, bytes) => {
    const env = { XDG_CACHE_HOME: folder, PATH: folder, HOME: folder }
    const cache = runtimeCache(env)
    expect(cache).toBe(join(folder, 'muster', 'runtimes'))
    mkdirSync(cache, { recursive: true })
    writeFileSync(join(cache, name), bytes)
    writeFileSync(join(cache, `${name}.seen`), `${sha256(bytes)} ${pinnedRuntime.sha256.x64}\n`)
    await expect(fetchRuntime({ architecture: 'x64', env, signal })).rejects.toMatchObject({
      code: 'runtime-not-fetched',
      fix: expect.stringContaining('--runtime-file'),
    })
    expect(readdirSync(cache), 'nothing is left half-fetched').toEqual([name, `${name}.seen`])
  })

  it('rejects a cache folder behind a link before it runs npm', async () => {
    const env = { XDG_CACHE_HOME: folder, PATH: folder, HOME: folder }
    symlinkSync(mkdtempSync(join(folder, 'other-')), join(folder, 'muster'))
    await expect(fetchRuntime({ architecture: 'x64', env, signal })).rejects.toMatchObject({
      code: 'runtime-cache-unfit',
    })
  })
})
