import { readFile, stat } from 'node:fs/promises'
import { errorCode, systemErrorText } from '../base/systemErrors.ts'
import { UsageError } from './usageError.ts'

/** A file that a person named: its text, and whether others than its owner may read it. */
type InputFile = { readonly text: string; readonly readableByOthers: boolean }

/** Reads a file as UTF-8; `what` says in messages what it should hold. Throws a `UsageError`. */
export async function readInputFile(file: {
  /** Absolute. */
  readonly path: string
  readonly what: string
}): Promise<InputFile> {
  try {
    const bytes = await readFile(file.path)
    const { mode, isFile } = await stat(file.path).then((found) => ({
      mode: found.mode,
      isFile: found.isFile(),
    }))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, readableByOthers: isFile && (mode & 0o077) !== 0 }
  } catch (error) {
    const isText = !(error instanceof TypeError && errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    const reason = isText ? systemErrorText(error) : 'it is not UTF-8 text'
    throw new UsageError(
      `${file.what} cannot be read from ${file.path}: ${reason}.`,
      'Check the path, the permissions and the content of the file.',
    )
  }
}
