import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { readBoundedFile, UnfitFileError } from '../base/boundedFile.ts'
import { errorCode, systemErrorText } from '../base/systemErrors.ts'
import type { ConfigFile } from '../config/load.ts'
import type { Facts, TextCode } from '../diagnostics/catalogue.ts'
import { diagnose } from '../diagnostics/diagnose.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { isBelow, type SecretPolicy } from '../secrets/policy.ts'
import { Interrupted } from './interrupted.ts'

/** Bytes; a configuration of a thousand hosts has well under a tenth of it. */
export const largestConfigFile = 2_000_000

/** The name under which standard input is shown. */
export const stdinName = 'standard input'

export type ReadConfigFiles = {
  /** Those that could be read, in the order given. */
  readonly files: readonly ConfigFile[]
  readonly diagnostics: readonly Diagnostic[]
  /** True if a file does not exist or cannot be opened. */
  readonly missing: boolean
}

type Outcome = { readonly file: ConfigFile } | { readonly finding: Diagnostic; readonly missing: boolean }

function failed<C extends TextCode>(name: string, code: C, facts: Facts<C>): Outcome {
  const span = { file: name, line: 1, column: 1, endLine: 1, endColumn: 2 }
  const missing = code === 'file-not-found' || code === 'file-is-directory' || code === 'file-unreadable'
  return { finding: diagnose(code, facts, { span }), missing }
}

function decodes(bytes: Buffer, stream: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream })
    return true
  } catch {
    return false
  }
}

/** Returns the offset of the first invalid UTF-8 sequence. */
function firstInvalidByte(bytes: Buffer): number {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (decodes(bytes.subarray(0, middle), true)) good = middle
    else bad = middle
  }
  // Up to three bytes before may be the beginning of a sequence that did not go on.
  while (good > 0 && !decodes(bytes.subarray(0, good), false)) good -= 1
  return good
}

function decoded(name: string, directory: string, bytes: Buffer): Outcome {
  if (bytes.length > largestConfigFile) {
    return failed(name, 'file-too-large', { size: bytes.length, limit: largestConfigFile })
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { file: { name, directory, text } }
  } catch {
    return failed(name, 'file-not-utf8', { offset: firstInvalidByte(bytes) + 1 })
  }
}

/** At most one byte more than the limit: enough to know that it is too much. */
async function readLimited(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    length += bytes.length
    if (length > largestConfigFile) break
  }
  return Buffer.concat(chunks)
}

/**
 * Path to open for what may be a stranger's file: the regular file that all links lead to. They must not leave the
 * folder of the file nor, for a file below it, the working directory. Throws with the reason.
 */
async function safePath(absolute: string, cwd: string): Promise<string> {
  // Pipes that the operator's shell names, such as /dev/fd/63.
  if (isBelow(absolute, '/dev') || isBelow(absolute, '/proc')) return absolute
  const real = await realpath(absolute)
  for (const bound of isBelow(absolute, cwd) ? [cwd, dirname(absolute)] : [dirname(absolute)]) {
    if (!isBelow(real, await realpath(bound))) throw new Error(`it is a link to a place outside ${bound}`)
  }
  const stats = await stat(real)
  if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a regular file')
  return real
}

/** Returns true for what can be a host's name, a pattern or a list of them, and has no extension of a file. */
export const looksLikeHost = (path: string): boolean =>
  /^[\w*?[][\w.*?,[\]!-]*$/.test(path) && !/\.(ya?ml|json|conf|ini)$/i.test(path)

async function readPath(path: string, options: Parameters<typeof readConfigFiles>[0]): Promise<Outcome> {
  const { cwd, signal, isDefault = false, policy = 'all', takesHost = false } = options
  const absolute = resolve(cwd, path)
  try {
    const real = policy === 'safe' ? await safePath(absolute, cwd) : absolute
    const { content } = await readBoundedFile(real, { maxBytes: largestConfigFile, pipe: signal })
    return decoded(path, dirname(absolute), content)
  } catch (error) {
    if (signal.aborted) throw new Interrupted()
    if (error instanceof UnfitFileError && error.size !== undefined) {
      return failed(path, 'file-too-large', { size: error.size, limit: largestConfigFile })
    }
    if (error instanceof UnfitFileError && error.isFolder) {
      return failed(path, 'file-is-directory', { name: path })
    }
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return failed(path, 'file-not-found', {
        name: path,
        isDefault,
        mayBeHost: takesHost && !isDefault && looksLikeHost(path),
      })
    return failed(path, 'file-unreadable', { name: path, reason: systemErrorText(error) })
  }
}

/**
 * Reads configuration files, `-` being standard input; what cannot be read is a finding. Rejects with `Interrupted`
 * alone.
 */
export async function readConfigFiles(options: {
  readonly paths: readonly string[]
  /** Absolute. */
  readonly cwd: string
  readonly stdin: Readable
  readonly signal: AbortSignal
  /** True if the command line names no file: the message then says how to. */
  readonly isDefault?: boolean
  /** `safe`: the files may be a stranger's, so no link may leave their folder. Default: `all`. */
  readonly policy?: SecretPolicy
  /** Set for a command with --host: a missing file may be a host's name. */
  readonly takesHost?: boolean
}): Promise<ReadConfigFiles> {
  const { paths, cwd, stdin } = options
  const outcomes: Outcome[] = []
  let stdinRead = false
  for (const path of new Set(paths)) {
    if (path !== '-') {
      outcomes.push(await readPath(path, options))
      continue
    }
    stdinRead = true
    outcomes.push(decoded(stdinName, cwd, await readLimited(stdin)))
  }
  if (stdinRead && paths.filter((path) => path === '-').length > 1) {
    outcomes.push(failed(stdinName, 'stdin-twice', {}))
  }
  return {
    files: outcomes.flatMap((outcome) => ('file' in outcome ? [outcome.file] : [])),
    diagnostics: outcomes.flatMap((outcome) => ('finding' in outcome ? [outcome.finding] : [])),
    missing: outcomes.some((outcome) => 'finding' in outcome && outcome.missing),
  }
}

/** Returns true if something exists under this absolute path. */
export const fileExists = (path: string): boolean => existsSync(path)

/** Standard input as text, up to the size of a configuration file. */
export const readStdin = async (stdin: Readable): Promise<string> =>
  (await readLimited(stdin)).toString('utf8')
