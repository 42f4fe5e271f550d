import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lineOutput, openLogFile } from '../../src/api/logOutput.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const rule = { bytes: 1000, files: 3 }

async function write(path: string, lines: readonly string[]): Promise<void> {
  const output = lineOutput(openLogFile(path, rule))
  for (const line of lines) {
    output.write(line)
    await turn()
    await turn()
  }
}

const line = (number: number): string => `${String(number).padStart(9, '0')}\n`
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, number) => line(number))

describe('the log file of a component', () => {
  it('belongs to its owner only, and is continued after a restart', async () => {
    const path = join(temporaryFolder(), 'log')
    await write(path, ['a\n'])
    await write(path, ['b\n'])
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is rotated in whole lines when it is full, and the oldest file is removed', async () => {
    const folder = temporaryFolder()
    await write(join(folder, 'log'), many(350))
    expect(readdirSync(folder).toSorted()).toEqual(['log', 'log.1', 'log.2'])
    const text = ['log.2', 'log.1', 'log'].map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(text.join('')).toBe(many(350).slice(100).join(''))
    expect(text.map(({ length }) => length)).toEqual([1000, 1000, 500])
  })

  it('is limited even if it cannot be rotated', async () => {
    const folder = temporaryFolder()
    // A folder that is not empty is in the place where the file would go.
    mkdirSync(join(folder, 'log.1', 'x'), { recursive: true })
    mkdirSync(join(folder, 'log.2', 'x'), { recursive: true })
    await write(join(folder, 'log'), many(350))
    expect(statSync(join(folder, 'log')).size).toBeLessThanOrEqual(rule.bytes)
  })

  it.each([
    ['a link', (path: string, other: string) => symlinkSync(other, path), /symbolic link/],
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path]), /not a regular file/],
    ['a folder', (path: string) => mkdirSync(path), /not a regular file/],
  ] as const)('is not opened through %s', (_name, attack, why) => {
    const folder = temporaryFolder()
    const [path, other] = [join(folder, 'log'), join(folder, 'profile')]
    writeFileSync(other, 'precious')
    attack(path, other)
    expect(() => openLogFile(path, rule)).toThrow(why)
    expect(readFileSync(other, 'utf8')).toBe('precious')
  })

  it('is not written through a link that replaces it or an older one later', async () => {
    const folder = temporaryFolder()
    const [path, other] = [join(folder, 'log'), join(folder, 'profile')]
    writeFileSync(other, 'precious')
    const output = lineOutput(openLogFile(path, rule))
    symlinkSync(other, `${path}.1`)
    for (const text of many(150)) {
      output.write(text)
      await turn()
      await turn()
    }
    renameSync(path, `${path}.gone`)
    symlinkSync(other, path)
    for (const text of many(150)) {
      output.write(text)
      await turn()
      await turn()
    }
    expect(readFileSync(other, 'utf8')).toBe('precious')
  })

  it('reports why it cannot be written', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'missing', 'log')
    expect(() => openLogFile(path)).toThrow(`cannot write the log ${path}: no such file or folder`)
    chmodSync(folder, 0o700)
    expect(existsSync(path)).toBe(false)
  })
})
