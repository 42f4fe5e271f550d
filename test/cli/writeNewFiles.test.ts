import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { existingPaths, writeNewFiles } from '../../src/cli/writeNewFiles.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const write = (folder: string, names: readonly string[], force = false) =>
  writeNewFiles(
    names.map((name) => ({ path: join(folder, name), text: `new ${name}` })),
    { folder, force },
  ).then((failed) => failed && { outcome: failed.outcome, paths: failed.files.map(({ path }) => path) })

describe('writeNewFiles', () => {
  it('writes all files, and creates their folder', async () => {
    const folder = join(temporaryFolder(), 'a/b')
    expect(await write(folder, ['one', 'two'])).toBeUndefined()
    expect(readdirSync(folder)).toEqual(['one', 'two'])
    expect(readFileSync(join(folder, 'two'), 'utf8')).toBe('new two')
  })

  it('writes no file and removes the created folder if one file cannot be written', async () => {
    const above = temporaryFolder()
    const folder = join(above, 'a/b')
    expect(await write(folder, ['one', 'none/two'])).toEqual({
      outcome: 'no-folder',
      paths: [join(folder, 'none/two')],
    })
    expect(readdirSync(above)).toEqual([])
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'one'), 'old')
    expect((await write(folder, ['one', 'none/two'], true))?.outcome).toBe('no-folder')
    expect(readdirSync(folder)).toEqual(['one'])
    expect(readFileSync(join(folder, 'one'), 'utf8')).toBe('old')
  })

  it('overwrites nothing, not even a broken link', async () => {
    const folder = temporaryFolder()
    symlinkSync('nowhere', join(folder, 'one'))
    writeFileSync(join(folder, 'three'), 'old')
    const paths = ['one', 'three'].map((name) => join(folder, name))
    expect(await existingPaths([...paths, join(folder, 'two')])).toEqual(paths)
    expect(await write(folder, ['one', 'two', 'three'])).toEqual({ outcome: 'exists', paths })
    expect(readdirSync(folder)).toEqual(['one', 'three'])
  })
})
