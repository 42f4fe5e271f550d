import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTar, createTarGz } from '../../src/base/tar.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const made = new Date('2026-03-01T12:00:00Z')

const tools = [['tar'], ['busybox', 'tar']].filter(
  ([tool = '']) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0,
)

describe('a tar archive', () => {
  it('is unpacked by tar, readable by its owner only', () => {
    const folder = temporaryFolder()
    const part = fc.stringMatching(/^[a-zA-Z0-9ü-][a-zA-Z0-9.ü-]{0,40}$/)
    const names = fc.uniqueArray(
      fc.tuple(part, part).map((parts) => parts.join('/')),
      { minLength: 1 },
    )
    const files = names.chain((paths) =>
      fc.tuple(
        ...paths.map((path) => fc.tuple(fc.constant(`top/${path}/file`), fc.uint8Array({ maxLength: 1100 }))),
      ),
    )
    let count = 0
    fc.assert(
      fc.property(files, (entries) => {
        count += 1
        const place = join(folder, String(count))
        mkdirSync(place)
        const all = entries.map(([path, content]) => ({ path, content: Buffer.from(content) }))
        execFileSync('tar', ['-xf', '-', '-C', place], { input: createTar(all, made) })
        for (const { path, content } of all) {
          expect(readFileSync(join(place, path)).equals(content)).toBe(true)
          expect(statSync(join(place, path)).mode & 0o777).toBe(0o600)
          expect(statSync(join(place, path)).mtime).toEqual(made)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('carries a path of any length, which tar and busybox read', () => {
    const long = `${'a'.repeat(100)}/${'b'.repeat(54)}/${'c'.repeat(99)}`
    const longer = `${'d'.repeat(101)}/${'é'.repeat(100)}/${'f'.repeat(200)}`
    const entries = [long, longer].map((path) => ({ path, content: Buffer.from(path), mode: 0o644 }))
    const input = createTar(entries, made)
    for (const [tool = '', ...words] of tools) {
      const place = temporaryFolder()
      execFileSync(tool, [...words, '-xf', '-', '-C', place], { input })
      for (const path of [long, longer]) expect(readFileSync(join(place, path), 'utf8')).toBe(path)
    }
  })

  it('takes a file that is packed already as a member of its own, which tar and busybox unpack', () => {
    const content = Buffer.from('of the host '.repeat(100_000))
    const packed = createTarGz(
      [
        { path: 'top/', content: Buffer.alloc(0), mode: 0o711 },
        { path: 'top/first', content: Buffer.from('one'), mode: 0o644 },
        { path: 'top/large', packed: gzipSync(content), mode: 0o755 },
        { path: 'top/last', content: Buffer.from('three') },
      ],
      made,
    )
    for (const [tool = '', ...words] of tools) {
      const place = temporaryFolder()
      execFileSync(tool, [...words, '-xzf', '-', '-C', place], { input: packed })
      const modes = ['', 'first', 'large', 'last'].map(
        (name) => statSync(join(place, 'top', name)).mode & 0o777,
      )
      expect(modes, tool).toEqual([0o711, 0o644, 0o755, 0o600])
      expect(readFileSync(join(place, 'top/large')).equals(content)).toBe(true)
      expect(readFileSync(join(place, 'top/last'), 'utf8')).toBe('three')
    }
  })
})
