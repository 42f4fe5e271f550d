import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTar } from '../../../src/deployment/diag/tar.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const made = new Date('2026-03-01T12:00:00Z')

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

  it('accepts paths of 255 bytes with short parts and rejects others', () => {
    const long = `${'a'.repeat(100)}/${'b'.repeat(54)}/${'c'.repeat(99)}`
    const listed = execFileSync('tar', ['-tf', '-'], {
      input: createTar([{ path: long, content: Buffer.from('x') }], made),
      encoding: 'utf8',
    })
    expect(listed).toBe(`${long}\n`)
    expect(() => createTar([{ path: 'a'.repeat(101), content: Buffer.alloc(0) }], made)).toThrow(RangeError)
  })
})
