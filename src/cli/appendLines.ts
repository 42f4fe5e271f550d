import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../base/systemErrors.ts'

/**
 * Adds lines to a file as one write; a file and a folder that are made are for their owner alone, as ssh makes
 * them. What is in the file stays as it is. Rejects as node:fs does.
 */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const before = await readFile(path, 'latin1').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  })
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  await appendFile(path, `${gap}${lines.map((line) => `${line}\n`).join('')}`, { mode: 0o600 })
}
