import { rename, rm, writeFile } from 'node:fs/promises'
import { errorCode } from '../base/systemErrors.ts'

/** Result of writing the file. */
export type WriteOutcome = 'written' | 'exists' | 'no-folder' | 'is-directory' | 'refused' | 'failed'

const outcomes: Readonly<Record<string, WriteOutcome>> = {
  EEXIST: 'exists',
  ENOENT: 'no-folder',
  ENOTDIR: 'no-folder',
  EISDIR: 'is-directory',
  EACCES: 'refused',
  EPERM: 'refused',
  EROFS: 'refused',
}

/** Writes a file (default mode 0600). Replaces another one only with `force`, and then atomically. */
export async function writeNewFile(file: {
  readonly path: string
  readonly text: string | Uint8Array
  readonly force: boolean
  /** The umask takes from it. */
  readonly mode?: number
}): Promise<WriteOutcome> {
  const { path, text, force, mode = 0o600 } = file
  const temporaryPath = `${path}.${process.pid}.tmp`
  try {
    await writeFile(force ? temporaryPath : path, text, { flag: 'wx', mode })
    if (force) await rename(temporaryPath, path)
    return 'written'
  } catch (error) {
    if (force) await rm(temporaryPath, { force: true })
    return outcomes[errorCode(error) ?? ''] ?? 'failed'
  }
}

/** Returns message and fix for a file that was not written; `example` is a usual file name. */
export function writeProblem(
  outcome: Exclude<WriteOutcome, 'written' | 'exists'>,
  { file, example }: { readonly file: string; readonly example?: string },
): { readonly message: string; readonly fix: string } {
  switch (outcome) {
    case 'no-folder':
      return {
        message: `${file} cannot be written: its folder does not exist.`,
        fix: 'Create the folder first, or name another file.',
      }
    case 'is-directory':
      return {
        message: `${file} is a directory.`,
        fix:
          example === undefined
            ? 'Pass the path of a file in it.'
            : `Pass the file in it, such as ${file.replace(/\/+$/, '')}/${example}`,
      }
    case 'refused':
      return {
        message: `${file} cannot be written: permission denied.`,
        fix: 'Choose a folder that you may write to.',
      }
    case 'failed':
      return {
        message: `${file} cannot be written: the disk is full or reports an error.`,
        fix: 'Check it with: df -h',
      }
  }
}
