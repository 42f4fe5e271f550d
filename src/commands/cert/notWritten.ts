import { UsageError } from '../../cli/usageError.ts'
import type { WriteOutcome } from '../../cli/writeNewFile.ts'
import { writeProblem } from '../../cli/writeProblem.ts'
import { shortListOf } from '../../diagnostics/words.ts'

/** Why files, as the command line names them, were not written; `example` is a file's name, where one is usual. */
export function notWritten(
  outcome: Exclude<WriteOutcome, 'written'>,
  { files, example }: { readonly files: readonly string[]; readonly example?: string },
): UsageError {
  const names = shortListOf(files, 8)
  if (outcome !== 'exists') {
    const { message, fix } = writeProblem(outcome, { file: names, ...(example && { example }) })
    return new UsageError(message, fix)
  }
  return files.length === 1
    ? new UsageError(`${names} already exists and was not changed.`, 'To overwrite it, add --force.')
    : new UsageError(`${names} already exist and were not changed.`, 'To overwrite them, add --force.')
}
