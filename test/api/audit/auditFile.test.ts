import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AuditFile, createAuditFile } from '../../../src/api/audit/auditFile.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const sync = { sync: true }
const line = (text: string): string => `${JSON.stringify({ text })}\n`
/** What lines say, whatever chains them; a line that is none of ours as it is. */
const told = (path: string): readonly string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((it) => it !== '')
    .map((it) => (it.endsWith('}') ? JSON.parse(it).text : it))
const mode = (path: string): number => statSync(path).mode & 0o777

function opened(path: string): AuditFile {
  const file = createAuditFile(path)
  onTestFinished(() => file.close())
  return file
}

describe('the audit file', () => {
  it('is created at its first use, for its owner only, and only grows', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    const file = opened(path)
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
    await file.append(line('one'), sync)
    expect(mode(path)).toBe(0o600)
    await file.append(line('two'), { sync: false })
    await file.close()
    await opened(path).append(line('three'), sync)
    expect(told(path)).toEqual(['one', 'two', 'three'])
  })

  it('keeps the order of concurrent writes', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    const file = opened(path)
    const lines = Array.from({ length: 200 }, (_, index) => line(`${index}`))
    await Promise.all(lines.map((each, index) => file.append(each, { sync: index % 50 === 0 })))
    expect(told(path)).toEqual(lines.map((each) => JSON.parse(each).text))
  })

  it('continues in a new file when the old one was rotated, deleted or replaced', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'audit.jsonl')
    const file = opened(path)
    await file.append(line('one'), sync)
    renameSync(path, join(folder, 'audit.jsonl.1'))
    await file.append(line('two'), sync)
    expect([told(`${path}.1`), told(path)]).toEqual([['one'], ['two']])
    rmSync(path)
    await file.append(line('three'), sync)
    expect(told(path)).toEqual(['three'])
    writeFileSync(join(folder, 'made'), 'made by logrotate\n', { mode: 0o644 })
    renameSync(join(folder, 'made'), path)
    await file.append(line('four'), sync)
    expect([told(path), mode(path)]).toEqual([['made by logrotate', 'four'], 0o600])
  })

  it('starts a new line after one that a killed writer left incomplete', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    writeFileSync(path, 'whole\n{"time":"20')
    const file = opened(path)
    await file.append(line('one'), sync)
    await file.append(line('two'), sync)
    expect(told(path)).toEqual(['whole', '{"time":"20', 'one', 'two'])
  })

  it('removes the permissions of others', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    writeFileSync(path, '')
    chmodSync(path, 0o666)
    await opened(path).open()
    expect(mode(path)).toBe(0o600)
  })

  it('reports that it cannot be written, and works again as soon as it can', async () => {
    const folder = join(temporaryFolder(), 'log')
    const path = join(folder, 'audit.jsonl')
    const file = opened(path)
    await expect(file.open()).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(file.append(line('one'), sync)).rejects.toMatchObject({ code: 'ENOENT' })
    mkdirSync(path, { recursive: true })
    await expect(file.append(line('one'), sync)).rejects.toThrow('it is not a regular file')
    rmSync(path, { recursive: true })
    await file.append(line('two'), sync)
    expect(told(path)).toEqual(['two'])
  })

  it('rejects a path that is not a regular file, and leaves it unchanged', async () => {
    const before = statSync('/dev/null').mode
    await expect(opened('/dev/null').open()).rejects.toThrow('it is not a regular file')
    expect(statSync('/dev/null').mode).toBe(before)
  })
})
