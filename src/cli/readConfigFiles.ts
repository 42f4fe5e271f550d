import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { readBoundedFile, UnfitFileError } from '../base/boundedFile.ts'
import { errorCode, systemErrorText } from '../base/systemErrors.ts'
import { stdinTwice } from '../config/findings.ts'
import type { ConfigFile } from '../config/load.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { type Finding, finding } from '../diagnostics/finding.ts'
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

/** Codes of a file that does not exist or cannot be opened. */
const missingCodes: readonly string[] = ['file-not-found', 'file-is-directory', 'file-unreadable']

function failed<Facts>(name: string, report: Finding<Facts>, facts: Facts): Outcome {
  const span = { file: name, line: 1, column: 1, endLine: 1, endColumn: 2 }
  const finding = report(facts, { span })
  return { finding, missing: missingCodes.includes(finding.code) }
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

export const fileTooLarge = finding('file-too-large', (facts: { size: number; limit: number }) => ({
  message: `The file has ${Math.ceil(facts.size / 1_000_000)} MB; the limit is ${facts.limit / 1_000_000} MB.`,
  why: 'A configuration of a thousand hosts is well under 1 MB, so this is probably the wrong file.',
  fix: 'Check that this is the file you meant.',
}))

const fileNotUtf8 = finding('file-not-utf8', (facts: { offset: number }) => ({
  message: `The file is not UTF-8: the byte at position ${facts.offset} is not part of a character.`,
  why: 'YAML is Unicode text; in another encoding, muster would read wrong names and passwords.',
  fix: 'Save the file as UTF-8, or convert it: iconv -f ISO-8859-1 -t UTF-8 OLD > NEW',
}))

function decoded(name: string, directory: string, bytes: Buffer): Outcome {
  if (bytes.length > largestConfigFile) {
    return failed(name, fileTooLarge, { size: bytes.length, limit: largestConfigFile })
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { file: { name, directory, text } }
  } catch {
    return failed(name, fileNotUtf8, { offset: firstInvalidByte(bytes) + 1 })
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

/** Quotes a pattern, so that no shell expands it. */
const quoted = (name: string): string => (/[*?]/.test(name) ? `'${name}'` : name)

const fileNotFound = finding(
  'file-not-found',
  (facts: { name: string; isDefault: boolean; mayBeHost?: boolean }) => ({
    message: `There is no file ${facts.name}.`,
    why: 'Every command needs this file.',
    fix: facts.isDefault
      ? 'Pass your file as the last argument or in MUSTER_FILE, or create an example with: muster init'
      : facts.mayBeHost === true
        ? `To name the host ${facts.name}, use --host ${quoted(facts.name)}; an argument alone is a YAML file.`
        : 'Check the spelling, or create an example with: muster init FILE',
  }),
)

const fileIsDirectory = finding('file-is-directory', (facts: { name: string }) => ({
  message: `${facts.name} is a directory.`,
  why: 'A configuration is one YAML file or several.',
  fix: `Pass the file in it, such as ${facts.name.replace(/\/+$/, '')}/muster.yaml`,
}))

const fileUnreadable = finding('file-unreadable', (facts: { name: string; reason: string }) => ({
  message: `${facts.name} cannot be read: ${facts.reason}.`,
  why: 'Every command needs this file.',
  fix: 'Check the owner and the permissions of the file with ls -l.',
}))

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
      return failed(path, fileTooLarge, { size: error.size, limit: largestConfigFile })
    }
    if (error instanceof UnfitFileError && error.isFolder) {
      return failed(path, fileIsDirectory, { name: path })
    }
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return failed(path, fileNotFound, {
        name: path,
        isDefault,
        mayBeHost: takesHost && !isDefault && looksLikeHost(path),
      })
    return failed(path, fileUnreadable, { name: path, reason: systemErrorText(error) })
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
    outcomes.push(failed(stdinName, stdinTwice, {}))
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
