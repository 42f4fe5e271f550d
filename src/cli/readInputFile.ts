import { stat } from 'node:fs/promises'
import { readBoundedFile } from '../base/boundedFile.ts'
import { errorCode, systemErrorText } from '../base/systemErrors.ts'
import { Interrupted } from './interrupted.ts'
import { UsageError } from './usageError.ts'

/** A file that a person named: its text, and whether others than its owner may read it. */
type InputFile = { readonly text: string; readonly readableByOthers: boolean }

/**
 * Bytes of a file or of standard input; a certificate, a password, a list of recipients or a map of services has well
 * under a tenth of it.
 */
export const largestInput = 8 * 1024 * 1024

/**
 * Reads a file as UTF-8; `what` says in messages what it should hold. Throws a `UsageError`, or `Interrupted` while it
 * waits for a pipe.
 */
export async function readInputFile(file: {
  /** Absolute. */
  readonly path: string
  readonly what: string
  /** Takes a pipe, too, such as `<(…)` of a shell. */
  readonly pipe?: AbortSignal
}): Promise<InputFile> {
  const { path, pipe } = file
  try {
    const { content, mode = 0 } = await readBoundedFile(path, { maxBytes: largestInput, pipe })
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return { text, readableByOthers: (mode & 0o077) !== 0 }
  } catch (error) {
    if (pipe?.aborted === true) throw new Interrupted()
    const isText = !(error instanceof TypeError && errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    const reason = isText ? systemErrorText(error) : 'it is not UTF-8 text'
    throw new UsageError(
      `${file.what} cannot be read from ${file.path}: ${reason}.`,
      'Check the path, the permissions and the content of the file.',
    )
  }
}

/** Returns true for a file that anybody may execute; false where reading it says what is wrong. */
export const isExecutable = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile() && (found.mode & 0o111) !== 0,
    () => false,
  )
