import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readBoundedFile } from '../../src/base/boundedFile.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

describe('readBoundedFile', () => {
  let folder = ''
  const at = (name: string): string => join(folder, name)
  const pipe = (): string => {
    execFileSync('mkfifo', [at('pipe')])
    return at('pipe')
  }
  const { signal } = new AbortController()

  beforeEach(() => {
    folder = temporaryFolder()
  })

  it('returns a file up to the limit with its permissions', async () => {
    writeFileSync(at('file'), 'x'.repeat(1024), { mode: 0o640 })
    const { content, mode = 0 } = await readBoundedFile(at('file'), { maxBytes: 1024 })
    expect([content.length, mode & 0o777]).toEqual([1024, 0o640])
  })

  it('refuses a file that is larger, before it reads a sparse one', async () => {
    writeFileSync(at('file'), '')
    truncateSync(at('file'), 2 ** 40)
    await expect(readBoundedFile(at('file'), { maxBytes: 1024 })).rejects.toThrow('it is larger than 1 KiB')
  })

  it('refuses a file that says no size and is larger', async () => {
    await expect(readBoundedFile('/proc/self/status', { maxBytes: 16 })).rejects.toThrow('it is larger than')
  })

  it.each([
    ['a pipe', pipe, 'it is not a regular file'],
    ['a device without end', () => '/dev/zero', 'it is not a regular file'],
    [
      'a folder',
      () => {
        mkdirSync(at('folder'))
        return at('folder')
      },
      'it is a folder',
    ],
  ])('refuses %s without waiting for it', async (_, path, message) => {
    await expect(readBoundedFile(path(), { maxBytes: 1024 })).rejects.toThrow(message)
  })

  it('refuses a device where it takes a pipe', async () => {
    await expect(readBoundedFile('/dev/zero', { maxBytes: 1024, pipe: signal })).rejects.toThrow(
      'it is not a regular file or a pipe',
    )
  })

  it('reads a pipe, whose writer may come later, to its end', async () => {
    const path = pipe()
    const reading = readBoundedFile(path, { maxBytes: 1024, pipe: signal })
    const writer = await open(path, 'w')
    await writer.write('one ')
    await writer.write('two')
    await writer.close()
    expect((await reading).content.toString()).toBe('one two')
  })

  it('reads the pipe of a shell whose writer has ended', async () => {
    const shell = spawn('bash', ['-c', 'exec 9< <(printf said); wait $!; echo ready; read'])
    await once(shell.stdout, 'data')
    const path = `/proc/${shell.pid}/fd/9`
    expect((await readBoundedFile(path, { maxBytes: 1024, pipe: signal })).content.toString()).toBe('said')
    shell.stdin.end()
    await once(shell, 'close')
  })

  it('stops behind the limit of a pipe whose writer does not end', async () => {
    const path = pipe()
    const reading = readBoundedFile(path, { maxBytes: 1024, pipe: signal })
    const written = writeFile(path, 'x'.repeat(1024 * 1024)).catch((error: unknown) => error)
    await expect(reading).rejects.toThrow('it is larger than 1 KiB')
    expect(await written).toMatchObject({ code: 'EPIPE' })
  })

  it('stops waiting for the writer of a pipe when it is told to', async () => {
    const controller = new AbortController()
    const reading = readBoundedFile(pipe(), { maxBytes: 1024, pipe: controller.signal })
    controller.abort(new Error('told to stop'))
    await expect(reading).rejects.toThrow('told to stop')
  })
})
