import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Environment, npmEnvironment } from '../../processes/environment.ts'
import { run } from '../../processes/run.ts'
import { sha256 } from '../sha256.ts'
import { StepError } from '../stepError.ts'
import { elfArchitecture, packingOf } from './binary.ts'
import type { RuntimeFile } from './choose.ts'
import { type Architecture, pinnedRuntime, runtimePackage } from './pinned.ts'

const unpack = promisify(gunzip)
const pack = promisify(gzip)

/** Folder of the packed runtimes on the operator's machine (XDG Base Directory Specification). */
export function runtimeCache(env: Environment): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME ?? tmpdir(), '.cache')
  return join(cache, 'muster', 'runtimes')
}

/**
 * The pinned Node.js binary, packed with gzip: from the cache, or fetched by npm and put there. Bytes that
 * do not match the digests in the code are never used.
 */
export async function fetchRuntime(options: {
  readonly architecture: Architecture
  readonly env: Environment
  readonly signal: AbortSignal
}): Promise<Buffer> {
  const { architecture, env } = options
  const cache = runtimeCache(env)
  const path = join(cache, `node-${pinnedRuntime.version}-linux-${architecture}.gz`)
  const cached = await readCached(path, architecture)
  if (cached !== undefined) return cached
  await mkdir(cache, { recursive: true, mode: 0o700 })
  const work = await mkdtemp(join(cache, '.fetch-'))
  try {
    const packed = await pack(await download({ architecture, env, work, signal: options.signal }))
    const beside = `${path}.${randomBytes(6).toString('hex')}`
    await writeFile(beside, packed, { mode: 0o600 })
    await rename(beside, path)
    return packed
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * Beside the packed runtime lies the digest of its own bytes with that of the binary which they were seen to hold:
 * to unpack and digest the binary again takes a second of every first installation, and hosts do it in any case.
 */
async function readCached(path: string, architecture: Architecture): Promise<Buffer | undefined> {
  try {
    const packed = await readFile(path)
    const seen = `${sha256(packed)} ${pinnedRuntime.sha256[architecture]}\n`
    if ((await readFile(`${path}.seen`, 'utf8').catch(() => '')) === seen) return packed
    if (sha256(await unpack(packed)) !== pinnedRuntime.sha256[architecture]) return undefined
    await writeFile(`${path}.seen`, seen, { mode: 0o600 }).catch(() => undefined)
    return packed
  } catch {
    // Absent or damaged: fetched anew.
    return undefined
  }
}

async function download(options: {
  readonly architecture: Architecture
  readonly env: Environment
  readonly work: string
  readonly signal: AbortSignal
}): Promise<Buffer> {
  const { architecture, work, env } = options
  const name = runtimePackage(architecture)
  const fetched = await run({
    command: ['npm', 'pack', name, '--silent', '--pack-destination', work],
    cwd: work,
    env,
    extraEnv: npmEnvironment(env),
    timeout: 300_000,
    signal: options.signal,
  }).catch((cause: unknown) => ({ code: -1, stdout: '', stderr: String(cause) }))
  if (fetched.code !== 0) {
    throw notFetched(`npm could not fetch ${name}: ${lastLine(fetched.stderr)}`)
  }
  const archive = join(work, `node-linux-${architecture}-${pinnedRuntime.version}.tgz`)
  const digest = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')
  if (`sha512-${digest}` !== pinnedRuntime.integrity[architecture]) {
    throw notFetched(`what npm fetched as ${name} is not what this version of muster expects`)
  }
  const binary = await extract({ archive, member: 'package/bin/node', work, env })
  if (sha256(binary) !== pinnedRuntime.sha256[architecture]) {
    throw notFetched(`the binary in ${name} is not what this version of muster expects`)
  }
  return binary
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

function notFetched(message: string): StepError {
  return new StepError({
    host: 'this machine',
    code: 'runtime-not-fetched',
    message,
    fix: 'Where there is no registry, give a Node.js binary or archive for Linux with --runtime-file.',
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
    command: ['tar', '-xf', archive, '-C', work, member],
    env,
    timeout: 120_000,
  })
  if (result.code !== 0) throw notFetched(`tar could not read ${archive}: ${lastLine(result.stderr)}`)
  return readFile(join(work, member))
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
  const content = await readFile(path).catch((cause: unknown) => {
    throw unfit(path, `cannot be read (${cause instanceof Error ? cause.message : String(cause)})`)
  })
  const binary = packingOf(content) === undefined ? content : await fromArchive(path, env)
  const architecture = elfArchitecture(binary)
  if (architecture === undefined) throw unfit(path, 'is no Node.js binary for Linux on x64 or arm64')
  return { architecture, sha256: sha256(binary), packed: await pack(binary) }
}

async function fromArchive(path: string, env: Environment): Promise<Buffer> {
  const listing = await run({ command: ['tar', '-tf', path], env, timeout: 120_000 })
  const member = listing.stdout.split('\n').find((line) => /^[^/]+\/bin\/node$/.test(line))
  if (member === undefined) throw unfit(path, 'holds no bin/node')
  const work = await mkdtemp(join(tmpdir(), 'muster-runtime-'))
  try {
    return await extract({ archive: path, member, work, env })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function unfit(path: string, why: string): StepError {
  return new StepError({
    host: 'this machine',
    code: 'runtime-file-unfit',
    message: `--runtime-file ${path} ${why}`,
    fix: 'Give the `node` binary for Linux, or the .tar.gz or .tar.xz archive of Node.js 22 or newer.',
  })
}
