import type { WriteOutcome } from './writeNewFile.ts'

/** Why a file was not written and what to do about it, in words; `example` is a file's name, where one is usual. */
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
            ? 'Name a file in it.'
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
