import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lastAuditLines } from '../../../src/api/audit/lastAuditLines.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

describe('the end of an audit log', () => {
  it('is its last whole lines', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    expect(await lastAuditLines(path)).toEqual([])
    writeFileSync(path, 'one\ntwo\nthr', { mode: 0o600 })
    expect(await lastAuditLines(path)).toEqual(['one', 'two'])
  })

  it('is bounded, however long the file is', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${'x'.repeat(100)}`)
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
    expect(await lastAuditLines(path)).toEqual(lines.slice(-500))
  })

  it('follows no link', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'other'), 'secret\n')
    symlinkSync(join(folder, 'other'), join(folder, 'audit.jsonl'))
    await expect(lastAuditLines(join(folder, 'audit.jsonl'))).rejects.toThrow('symbolic link')
  })
})
