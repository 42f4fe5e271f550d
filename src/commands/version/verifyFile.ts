import { basename, dirname, join, resolve } from 'node:path'
import { elfArchitecture, readElfNote } from '../../base/elf.ts'
import { printableLine } from '../../base/printable.ts'
import { sha256 } from '../../base/sha256.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { readRegularFile } from '../../cli/readRegularFile.ts'
import { UsageError } from '../../cli/usageError.ts'

const listName = 'SHA256SUMS'

/** Bytes. */
const maxFile = 256 * 1024 * 1024
const maxList = 64 * 1024

/**
 * Says what a downloaded file is, and compares its SHA-256 with the list beside it, or with `checksums`. Exit code 1 if
 * it differs or is not listed. Throws a `UsageError` if a file cannot be read.
 */
export async function verifyFile(options: {
  readonly context: CommandContext
  readonly file: string
  /** List of checksums, as sha256sum writes it. */
  readonly checksums: string | undefined
}): Promise<ExitCode> {
  const { context, file, checksums } = options
  const { stdout, stderr, cwd } = context
  const path = resolve(cwd, file)
  const content = await contentOf(path, maxFile, `Name a file of muster's packages.`)
  const listPath = checksums === undefined ? join(dirname(path), listName) : resolve(cwd, checksums)
  const hint = `Download ${listName} of the same version into its folder, or name it with --checksums.`
  const list = (await contentOf(listPath, maxList, hint)).toString('utf8')
  const shown = {
    file: printableLine(file),
    list: printableLine(listPath),
    name: printableLine(basename(path)),
  }
  stdout.write(`${shown.file}: ${kindOf(content)}\n`)
  const found = sha256(content)
  const named = digestsOf(list, basename(path))
  const listed = named.length > 0 ? named : digestsOf(list, downloadName(content))
  if (listed.length === 0) {
    stderr.write(
      `error: ${shown.list} has no line for ${shown.name}\n  fix: Give the file the name that it was downloaded by, or use the list of its version.\n`,
    )
    return exitCodes.failed
  }
  const other = listed.find((digest) => digest !== found)
  if (other !== undefined) {
    stderr.write(
      `error: the SHA-256 of ${shown.file} differs from ${shown.list}\n  file    ${found}\n  listed  ${other}\n  fix: Do not use it. Download both again.\n`,
    )
    return exitCodes.failed
  }
  stdout.write(
    `SHA-256 ${found}: as listed in ${shown.list}\nThe file is complete and as it was when the list was made.\nThe list is not signed: it proves nothing about who made both.\nCompare it with a copy from a place that you trust: --checksums FILE.\n`,
  )
  return exitCodes.ok
}

async function contentOf(path: string, maxBytes: number, fix: string): Promise<Buffer> {
  const read = await readRegularFile(path, { maxBytes })
  if (read.ok) return read.content
  throw new UsageError(`${printableLine(path)} ${read.reason}.`, fix)
}

/** The name that a single executable is downloaded by: it is the program's own name afterwards. */
const downloadName = (content: Buffer): string => `muster-linux-${elfArchitecture(content)}`

/** Says what the first bytes and the note of an executable tell; names alone prove nothing. */
function kindOf(content: Buffer): string {
  const architecture = elfArchitecture(content)
  const version = readElfNote(content, 'muster')?.toString('latin1') ?? ''
  // A file of a stranger: only what looks like a version is shown.
  if (architecture !== undefined && /^\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,40}$/.test(version)) {
    return `muster ${version} for linux-${architecture}`
  }
  if (architecture !== undefined) return `a program for linux-${architecture}, not muster's single executable`
  if (content.toString('latin1', 0, 8) === '!<arch>\n') return 'a Debian package'
  if (content[0] === 0x1f && content[1] === 0x8b) return 'an archive packed with gzip'
  return 'not an executable, an archive or a Debian package'
}

/**
 * Returns the digests of a name in a list of sha256sum: digest, space, space or `*`, name. As sha256sum, it takes lines
 * that end with CR LF; and the file must have every digest of its name.
 */
function digestsOf(list: string, name: string): readonly string[] {
  const lines = list.split(/\r?\n/).map((line) => /^([0-9a-f]{64}) [ *](.+)$/.exec(line))
  return lines.flatMap((line) => (line?.[1] !== undefined && line[2] === name ? [line[1]] : []))
}
