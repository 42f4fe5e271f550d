import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unpack } from '../../src/deployment/unpack.ts'

const run = promisify(execFile)
// More than is read at once, and nothing that packs well.
const content = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * index * 7919) >> 5))

/** The interpreter itself; what is called so may be a script that finds one by the environment. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
}).stdout?.trim()
const gzip = spawnSync('sh', ['-c', 'command -v gzip'], { encoding: 'utf8' }).stdout.trim()
const own = { python3: python, gzip } as const

let folder: string
/** Which of them was started, in their order. */
const started = (): Promise<string> => readFile(join(folder, 'started'), 'utf8').catch(() => '')

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-unpack-'))
  await mkdir(join(folder, 'bin'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** Puts a program into the folder of programs, which says when it is started: the machine's own, or another script. */
async function provide(name: 'gzip' | 'python3', script = `exec ${own[name]} "$@"`): Promise<void> {
  const text = `#!/bin/sh\necho ${name} >> ${join(folder, 'started')}\n${script}\n`
  await writeFile(join(folder, 'bin', name), text, { mode: 0o755 })
}

async function unpackHere(packed: Buffer): Promise<string> {
  await writeFile(join(folder, 'a file.gz'), packed)
  const script = `set -e\n${unpack('a file.gz', 'a file')}\necho done`
  return run('/bin/sh', ['-c', script], { cwd: folder, env: { PATH: join(folder, 'bin') } }).then(
    ({ stdout }) => stdout,
    ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
  )
}

describe('what is unpacked on a host', () => {
  it.skipIf(!python)('is unpacked by Python alone where that is there', async () => {
    await provide('python3')
    expect(await unpackHere(gzipSync(content))).toBe('done\n')
    expect((await readFile(join(folder, 'a file'))).equals(content)).toBe(true)
    expect(await started()).toBe('python3\n')
  })

  it.each([
    ['where there is no Python', undefined],
    ['where Python does not work', 'exit 1'],
    ['where Python ends in the middle', 'echo half > "a file"; kill -9 $$'],
  ])('is unpacked by gzip %s', async (_, script) => {
    await provide('gzip')
    if (script !== undefined) await provide('python3', script)
    expect(await unpackHere(gzipSync(content))).toBe('done\n')
    expect((await readFile(join(folder, 'a file'))).equals(content)).toBe(true)
    expect(await started()).toBe(script === undefined ? 'gzip\n' : 'python3\ngzip\n')
  })

  it.each([
    ['cut off', (packed: Buffer) => packed.subarray(0, -20), 'unexpected end of file'],
    [
      'of another checksum',
      (packed: Buffer) => Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]),
      'crc error',
    ],
    ['no gzip', () => content, 'not in gzip format'],
  ])('is refused in the words of gzip where it is %s', async (_, spoil, words) => {
    if (python) await provide('python3')
    await provide('gzip')
    expect(await unpackHere(spoil(gzipSync(content)))).toContain(words)
    expect(await started()).toMatch(/gzip\n$/)
  })
})
