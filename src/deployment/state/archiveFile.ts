import { open, unlink } from 'node:fs/promises'
import { readBoundedFile, UnfitFileError } from '../../base/boundedFile.ts'
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

/** Bytes; the state of a thousand hosts has a tenth of it. */
const largestArchive = 256 * 1024 * 1024

/** Reads an archive from a file, or from a pipe such as `<(…)` of a shell. Throws `StateError`, or the signal's reason. */
export async function readArchive(path: string, signal: AbortSignal): Promise<Buffer> {
  const read = await readBoundedFile(path, { maxBytes: largestArchive, pipe: signal }).catch(
    (error: unknown) => {
      const isMissing = errorCode(error) === 'ENOENT'
      if (!isMissing && !(error instanceof UnfitFileError)) throw stateIoError(error, 'read', path)
      throw new StateError({
        code: 'not-an-archive',
        message: error instanceof UnfitFileError ? `${path} ${error.reason}` : `no such file: ${path}`,
        fix: 'use --from with the file that `muster state export` wrote',
      })
    },
  )
  return read.content
}
