import type { Stats } from 'node:fs'
import { lstat, mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { shortListOf } from '../base/words.ts'
import { UsageError } from './usageError.ts'
import { type WriteOutcome, writeNewFile, writeProblem } from './writeNewFile.ts'

type NewFile = { readonly path: string; readonly text: string | Uint8Array; readonly mode?: number }

/** Those of the paths that lead to something, be it a link to nothing. */
export async function existingPaths(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(lookAt))
  return paths.filter((_, index) => found[index] !== undefined)
}

/** Returns undefined where nothing exists, or access is denied. */
const lookAt = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined)

/**
 * Writes several files as `writeNewFile` does each: all of them, or none. Only with `force` in place of others, which
 * stay as they are until every new one is on the disk. Says which could not be written, of those that are there
 * already all.
 */
export async function writeNewFiles<File extends NewFile>(
  files: readonly File[],
  options: {
    readonly force: boolean
    /** Made where there is none. */
    readonly folder?: string
  },
): Promise<
  { readonly files: readonly File[]; readonly outcome: Exclude<WriteOutcome, 'written'> } | undefined
> {
  const { force, folder } = options
  const there = await existingPaths(files.map(({ path }) => path))
  const inTheWay = files.filter(({ path }) => there.includes(path))
  if (inTheWay.length > 0 && !force) return { outcome: 'exists', files: inTheWay }
  for (const file of inTheWay) {
    if ((await lookAt(file.path))?.isDirectory() === true) return { outcome: 'is-directory', files: [file] }
  }
  const made = folder && (await mkdir(folder, { recursive: true }).catch(() => undefined))
  const written: string[] = []
  for (const file of files) {
    const path = force ? temporaryPathOf(file.path) : file.path
    const outcome = await writeNewFile({ ...file, path, force: false })
    if (outcome === 'written') {
      written.push(path)
      continue
    }
    await Promise.all(written.map((one) => rm(one, { force: true })))
    await removeMade(folder, made)
    return { outcome, files: [file] }
  }
  if (force) await Promise.all(files.map(({ path }) => rename(temporaryPathOf(path), path)))
  return undefined
}

const temporaryPathOf = (path: string): string => `${path}.${process.pid}.tmp`

/** Takes a folder away again, and those above it that were made with it, the first of which is `made`. */
async function removeMade(folder = '', made: string | undefined): Promise<void> {
  if (made === undefined) return
  for (let path = folder; path.length >= made.length; path = dirname(path)) {
    await rmdir(path).catch(() => undefined)
  }
}

/** Returns the error for files that were not written; `example` is a usual file name. */
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
