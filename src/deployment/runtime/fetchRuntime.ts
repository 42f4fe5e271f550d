import { createHash } from 'node:crypto'
import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readBoundedFile, UnfitFileError } from '../../base/boundedFile.ts'
import { elfArchitecture } from '../../base/elf.ts'
import { sha256 } from '../../base/sha256.ts'
import { systemErrorText } from '../../base/systemErrors.ts'
import { type Environment, npmEnvironment } from '../../processes/environment.ts'
import { run } from '../../processes/run.ts'
import { StepError } from '../stepError.ts'
import type { RuntimeFile } from './chooseRuntime.ts'
import { type Architecture, pinnedRuntime, runtimePackage } from './pinnedRuntime.ts'
import { openRuntimeCache, readCachedRuntime, writeCachedRuntime } from './runtimeCache.ts'

/** Returns the compression of a file by its first bytes: gzip (RFC 1952) or xz; undefined for anything else. */
function packingOf(content: Buffer): 'gzip' | 'xz' | undefined {
  if (content[0] === 0x1f && content[1] === 0x8b) return 'gzip'
  return content.toString('latin1', 0, 6) === '\xfd7zXZ\x00' ? 'xz' : undefined
}

const pack = promisify(gzip)

/** Bytes; a Node.js binary and a single executable of muster have a quarter of it. */
const largestRuntime = 512 * 1024 * 1024

/**
 * Returns the pinned Node.js binary, packed with gzip: from the cache, or downloaded by npm and cached. Rejects bytes
 * that do not match the digests in the code.
 */
export async function fetchRuntime(options: {
  readonly architecture: Architecture
  readonly env: Environment
  readonly signal: AbortSignal
  /** muster is a single executable: another one for that processor would do as well. */
  readonly isSingle?: boolean
}): Promise<Buffer> {
  const { architecture, env } = options
  const cache = await openRuntimeCache(env)
  const path = join(cache, `node-${pinnedRuntime.version}-linux-${architecture}.gz`)
  const cached = await readCachedRuntime(path, pinnedRuntime.sha256[architecture])
  if (cached !== undefined) return cached
  const work = await mkdtemp(join(cache, '.fetch-'))
  try {
    const packed = await pack(await download({ ...options, work }))
    await writeCachedRuntime(path, packed)
    return packed
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

type Download = Parameters<typeof fetchRuntime>[0] & { readonly work: string }

async function download(options: Download): Promise<Buffer> {
  const { architecture, work, env } = options
  const name = runtimePackage(architecture)
  const fetched = await run({
    command: ['npm', 'pack', name, '--silent', '--pack-destination', work],
    cwd: work,
    env,
    extraEnv: npmEnvironment(env),
    timeout: 300_000,
    signal: options.signal,
  }).catch((cause: unknown) => ({
    code: -1,
    stdout: '',
    stderr: cause instanceof Error ? cause.message : String(cause),
  }))
  if (fetched.code !== 0) {
    const fix = options.isSingle ? otherExecutable(architecture) : undefined
    throw notFetched(`npm could not fetch ${name}: ${lastLine(fetched.stderr)}`, fix)
  }
  const archive = join(work, `node-linux-${architecture}-${pinnedRuntime.version}.tgz`)
  const digest = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')
  if (`sha512-${digest}` !== pinnedRuntime.integrity[architecture]) {
    throw notFetched(`the checksum of ${name} from npm does not match`)
  }
  const binary = await extract({ archive, member: 'package/bin/node', work, env })
  if (sha256(binary) !== pinnedRuntime.sha256[architecture]) {
    throw notFetched(`the checksum of the binary in ${name} does not match`)
  }
  return binary
}

const otherExecutable = (architecture: Architecture): string =>
  `Download muster-linux-${architecture} of this version, and pass it with --runtime-file muster-linux-${architecture}.`

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

function notFetched(
  message: string,
  fix = 'Use --runtime-file with a Node.js binary or archive for Linux if npm cannot reach a package registry.',
): StepError {
  return new StepError({
    host: 'this machine',
    code: 'runtime-not-fetched',
    message,
    fix,
  })
}

async function extract(options: {
  readonly archive: string
  readonly member: string
  readonly work: string
  readonly env: Environment
}): Promise<Buffer> {
  const { archive, member, work, env } = options
  const result = await run({
    command: ['tar', '-xf', archive, '-C', work, '--', member],
    env,
    timeout: 120_000,
  })
  if (result.code !== 0) throw notFetched(`tar could not read ${archive}: ${lastLine(result.stderr)}`)
  const binary = join(work, member)
  // Neither a link to a file of this machine nor a pipe, which would be waited for.
  if (!(await lstat(binary)).isFile())
    throw unfit(archive, `is an archive whose ${member} is not a regular file`)
  return (await readBoundedFile(binary, { maxBytes: largestRuntime })).content
}

/**
 * Reads the operator's --runtime-file: a `node` binary for Linux, or an archive of Node.js (.tar.gz, .tgz,
 * .tar.xz) that holds `bin/node`. Returns it packed with gzip.
 */
export async function readRuntimeFile(options: {
  readonly path: string
  readonly env: Environment
}): Promise<RuntimeFile & { readonly packed: Buffer }> {
  const { path, env } = options
  const { content } = await readBoundedFile(path, { maxBytes: largestRuntime }).catch((cause: unknown) => {
    throw unfit(
      path,
      cause instanceof UnfitFileError ? cause.reason : `cannot be read (${systemErrorText(cause)})`,
    )
  })
  const binary = packingOf(content) === undefined ? content : await fromArchive(path, env)
  const architecture = elfArchitecture(binary)
  if (architecture === undefined) throw unfit(path, 'is not a Node.js binary for Linux on x64 or arm64')
  return { architecture, sha256: sha256(binary), packed: await pack(binary) }
}

/** A name that tar takes neither for an option nor out of its folder. */
const nodeInArchive = /^(?:\.|[^-./][^/]*)\/bin\/node$/

async function fromArchive(path: string, env: Environment): Promise<Buffer> {
  // A name with a colon would be a file of another machine (tar(1)), unless a slash comes first.
  const archive = resolve(path)
  const listing = await run({ command: ['tar', '-tf', archive], env, timeout: 120_000 })
  const member = listing.stdout.split('\n').find((line) => nodeInArchive.test(line))
  if (member === undefined) throw unfit(path, 'contains no bin/node')
  const work = await mkdtemp(join(tmpdir(), 'muster-runtime-'))
  try {
    return await extract({ archive, member, work, env })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function unfit(path: string, why: string): StepError {
  return new StepError({
    host: 'this machine',
    code: 'runtime-file-unfit',
    message: `--runtime-file ${path} ${why}`,
    fix: 'Use the `node` binary for Linux, or the .tar.gz or .tar.xz archive of Node.js 22 or newer.',
  })
}
