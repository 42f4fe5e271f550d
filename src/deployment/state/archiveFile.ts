import { open, readFile, unlink } from 'node:fs/promises'
import { errorCode } from '../../base/systemErrors.ts'
import { StateError, stateIoError } from './stateError.ts'

/** Writes a new file (0600) and syncs it; never overwrites one. Throws `StateError`. */
export async function writeArchive(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw stateIoError(error, 'write', path)
    throw new StateError({
      code: 'already-exists',
      message: `${path} already exists`,
      fix: 'use another name with --out, or delete the file first',
    })
  })
  try {
    await file
      .writeFile(content)
      .then(() => file.sync())
      .finally(() => file.close())
  } catch (error) {
    await unlink(path)
    throw stateIoError(error, 'write', path)
  }
}

/** Throws `StateError`. */
export async function readArchive(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw stateIoError(error, 'read', path)
    throw new StateError({
      code: 'not-an-archive',
      message: `no such file: ${path}`,
      fix: 'use --from with the file that `muster state export` wrote',
    })
  })
}
