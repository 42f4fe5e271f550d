import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AuditFile, createAuditFile } from '../../../src/api/audit/auditFile.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const sync = { sync: true }
const mode = (path: string): number => statSync(path).mode & 0o777

function opened(path: string): AuditFile {
  const file = createAuditFile(path)
  onTestFinished(() => file.close())
  return file
}

describe('the audit file', () => {
  it('is made at its first use, for its owner alone, and only ever grows', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    const file = opened(path)
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
    await file.append('one\n', sync)
    expect(mode(path)).toBe(0o600)
    await file.append('two\n', { sync: false })
    await file.close()
    await opened(path).append('three\n', sync)
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n')
  })

  it('keeps the order of many at once', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    const file = opened(path)
    const lines = Array.from({ length: 200 }, (_, index) => `${index}\n`)
    await Promise.all(lines.map((line, index) => file.append(line, { sync: index % 50 === 0 })))
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  })

  it('goes on in a new file when the old one was rotated away, deleted or replaced', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'audit.jsonl')
    const file = opened(path)
    await file.append('one\n', sync)
    renameSync(path, join(folder, 'audit.jsonl.1'))
    await file.append('two\n', sync)
    expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['one\n', 'two\n'])
    rmSync(path)
    await file.append('three\n', sync)
    expect(readFileSync(path, 'utf8')).toBe('three\n')
    writeFileSync(join(folder, 'made'), 'made by logrotate\n', { mode: 0o644 })
    renameSync(join(folder, 'made'), path)
    await file.append('four\n', sync)
    expect([readFileSync(path, 'utf8'), mode(path)]).toEqual(['made by logrotate\nfour\n', 0o600])
  })

  it('begins a new line behind one that a killed writer left unfinished', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    writeFileSync(path, 'whole\n{"time":"20')
    const file = opened(path)
    await file.append('one\n', sync)
    await file.append('two\n', sync)
    expect(readFileSync(path, 'utf8')).toBe('whole\n{"time":"20\none\ntwo\n')
  })

  it('takes away what others may do with it', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    writeFileSync(path, '')
    chmodSync(path, 0o666)
    await opened(path).open()
    expect(mode(path)).toBe(0o600)
  })

  it('says that it cannot be written, and can be as soon as that is mended', async () => {
    const folder = join(temporaryFolder(), 'log')
    const path = join(folder, 'audit.jsonl')
    const file = opened(path)
    await expect(file.open()).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(file.append('one\n', sync)).rejects.toMatchObject({ code: 'ENOENT' })
    mkdirSync(path, { recursive: true })
    await expect(file.append('one\n', sync)).rejects.toMatchObject({ code: 'EISDIR' })
    rmSync(path, { recursive: true })
    await file.append('two\n', sync)
    expect(readFileSync(path, 'utf8')).toBe('two\n')
  })

  it('refuses what is no file, and leaves it as it is', async () => {
    const before = statSync('/dev/null').mode
    await expect(opened('/dev/null').open()).rejects.toThrow('it is not a regular file')
    expect(statSync('/dev/null').mode).toBe(before)
  })
})
