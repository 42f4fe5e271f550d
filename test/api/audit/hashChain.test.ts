import { existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, constantFrom, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuditFile } from '../../../src/api/audit/auditFile.ts'
import { verifyAudit as verify } from '../../../src/api/audit/verifyAudit.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const rule = { bytes: 2000, files: 4 }
const verifyAudit = (path: string) => verify(path, rule.files)
const sync = { sync: true }

/** Writes so many lines into an audit log of small files, by a process of its own after every tenth. */
async function written(count: number, path = join(temporaryFolder(), 'audit.jsonl')): Promise<string> {
  for (let begin = 0; begin < count; begin += 10) {
    const file = createAuditFile(path, rule)
    for (let number = begin; number < Math.min(begin + 10, count); number += 1) {
      await file.append(`${JSON.stringify({ number, text: 'é"}' })}\n`, sync)
    }
    await file.close()
  }
  return path
}

const filesOf = (path: string): readonly string[] =>
  [`${path}.3`, `${path}.2`, `${path}.1`, path].filter((file) => existsSync(file))
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n')
const write = (file: string, lines: readonly string[]): void =>
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })

describe('the hash chain of an audit log', () => {
  it('is valid across restarts and rotations, and shows how many lines rotation removed', async () => {
    const path = await written(10)
    expect(verifyAudit(path)).toMatchObject({ lines: 10, first: 1, last: { seq: 10 }, torn: 0, fault: null })
    await written(90, path)
    const verdict = verifyAudit(path)
    expect(filesOf(path)).toHaveLength(4)
    expect(verdict).toMatchObject({ last: { seq: 100 }, unchained: 0, torn: 0, fault: null })
    expect(verdict.first).toBeGreaterThan(1)
    expect(verdict.lines).toBe(101 - (verdict.first ?? 0))
    expect(existsSync(`${path}.4`)).toBe(false)
  })

  it('reveals any line that was changed, removed, doubled, added or moved, in any file', async () => {
    const path = await written(45)
    const originals = new Map(filesOf(path).map((file) => [file, linesOf(file)]))
    expect(originals.size).toBeGreaterThan(2)
    const kinds = ['change', 'remove', 'double', 'add', 'swap', 'unchain'] as const
    assert(
      property(
        constantFrom(...originals.keys()),
        nat(),
        nat(),
        constantFrom(...kinds),
        (file, at, place, kind) => {
          const lines = [...(originals.get(file) ?? [])]
          const index = at % lines.length
          const line = lines[index] ?? ''
          const isLast = file === path && index === lines.length - 1
          if (kind === 'change') {
            const character = place % line.length
            lines[index] =
              `${line.slice(0, character)}${line[character] === '1' ? '2' : '1'}${line.slice(character + 1)}`
          } else if (kind === 'remove') {
            // Who cuts the end off leaves a chain that fits: the journal, or the number noted before, shows it.
            if (isLast) return
            lines.splice(index, 1)
          } else if (kind === 'double') lines.splice(index, 0, line)
          else if (kind === 'add') lines.splice(index + 1, 0, '{"number":7}')
          else if (kind === 'swap') lines.splice(index, 1, lines[(index + 1) % lines.length] ?? '')
          else lines[index] = line.replace(/,"chain":"[0-9a-f]{64}"/, '')
          write(file, lines)
          const { fault } = verifyAudit(path)
          write(file, originals.get(file) ?? [])
          expect(fault, `${kind} of line ${index + 1}`).not.toBeNull()
          expect(fault?.reason).toBeTruthy()
        },
      ),
      { numRuns: 300 },
    )
    expect(verifyAudit(path).fault).toBeNull()
  })

  it('names the first line that does not fit, and reveals a missing file', async () => {
    const path = await written(45)
    const [first = '', second = ''] = filesOf(path)
    const lines = linesOf(second)
    write(second, lines.with(2, (lines[2] ?? '').replace('"number":', '"number":9')))
    expect(verifyAudit(path).fault).toEqual({
      file: second,
      line: 3,
      reason: 'it was changed, or lines before it were changed, removed or moved',
    })
    rmSync(second)
    expect(verifyAudit(path).fault).toMatchObject({ line: 1, reason: 'lines or files before it are missing' })
    rmSync(first)
    expect(verifyAudit(path).fault?.reason).toMatch(/^lines 1 to \d+ are missing, and no rotation/)
    rmSync(path)
    expect(verifyAudit(path).fault?.reason).toBe('it cannot be read: no such file or folder')
  })

  it('continues after a line that a killed writer left incomplete, and covers that line', async () => {
    const path = await written(5)
    truncateSync(path, readFileSync(path).length - 40)
    expect(verifyAudit(path)).toMatchObject({ lines: 4, torn: 1, fault: null })
    const file = createAuditFile(path, rule)
    await file.append('{"number":6}\n', sync)
    await file.close()
    expect(verifyAudit(path)).toMatchObject({ lines: 5, torn: 1, fault: null })
    const lines = linesOf(path)
    write(path, lines.with(4, `${lines[4]}x`))
    expect(verifyAudit(path).fault).toMatchObject({ line: 6 })
  })

  it('starts after lines that do not belong to it, and counts them', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    write(path, ['{"call":"deleteUser"}', '{"call":"deleteUser"}'])
    await written(3, path)
    expect(verifyAudit(path)).toMatchObject({ lines: 3, first: 1, unchained: 2, fault: null })
  })

  it('is not read through a link, nor into a line without end', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'audit.jsonl')
    writeFileSync(join(folder, 'shadow'), 'root:secret')
    symlinkSync(join(folder, 'shadow'), path)
    const verdict = verifyAudit(path)
    expect(verdict.fault?.reason).toBe('it cannot be read: it is a symbolic link, which is not followed')
    rmSync(path)
    writeFileSync(path, '', { mode: 0o600 })
    truncateSync(path, 4 * 2 ** 40)
    expect(verifyAudit(path).fault?.reason).toBe('it is longer than 1 MB')
    const file = createAuditFile(join(folder, 'linked'))
    symlinkSync(join(folder, 'shadow'), join(folder, 'linked'))
    await expect(file.append('{}\n', sync)).rejects.toThrow('symbolic link')
    expect(readFileSync(join(folder, 'shadow'), 'utf8')).toBe('root:secret')
  })
})
