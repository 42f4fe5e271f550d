import { readdir } from 'node:fs/promises'
import { printable } from '../../base/printable.ts'
import { shortListOf } from '../../base/words.ts'
import type { CommandContext } from '../../cli/context.ts'

/** Returns the names in a folder, in order; none without a folder that can be read. */
export const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).then(
    (names) => names.sort(),
    () => [],
  )

/**
 * Names files of an earlier run for hosts that are no longer in the file. They stay: others may have put files of that
 * name there.
 */
export function noteLeftovers({ stderr }: Pick<CommandContext, 'stderr'>, paths: readonly string[]): void {
  if (paths.length === 0) return
  stderr.write(
    `note: no host of the file has ${shortListOf(
      paths.map((path) => printable(path)),
      8,
    )}. Remove what is there for hosts that are gone: it holds their secrets.\n`,
  )
}
