import { formatUserFile } from './userFile.ts'
import { readUserFile, replaceUserFile } from './userFileIo.ts'
import { withLock } from './userFileLock.ts'
import type { UserFile } from './userRecord.ts'

/**
 * Changes the user file under its lock, so that writers never lose each other's users; says whether anything
 * changed, and it is on disk then. The change is handed the present content and returns the very same object
 * when there is nothing to do. Rejects with `UserFileError`, `LockHeldError` or what the change throws.
 */
export function changeUserFile(path: string, change: (file: UserFile) => UserFile): Promise<boolean> {
  return withLock({ path: `${path}.lock` }, async () => {
    const { file } = await readUserFile(path)
    const next = change(file)
    if (next === file) return false
    await replaceUserFile(path, formatUserFile(next))
    return true
  })
}
