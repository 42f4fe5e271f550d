import { rm } from 'node:fs/promises'
import { type WriteOutcome, writeNewFile } from './writeNewFile.ts'

type NewFile = Parameters<typeof writeNewFile>[0]

/**
 * Writes several files as `writeNewFile` does each: all of them, or else none but those that `force` put in the
 * place of another. Says which could not be written.
 */
export async function writeNewFiles<File extends NewFile>(
  files: readonly File[],
): Promise<{ readonly file: File; readonly outcome: Exclude<WriteOutcome, 'written'> } | undefined> {
  const written: string[] = []
  for (const file of files) {
    const outcome = await writeNewFile(file)
    if (outcome !== 'written') {
      await Promise.all(written.map((path) => rm(path, { force: true })))
      return { file, outcome }
    }
    if (!file.force) written.push(file.path)
  }
  return undefined
}
