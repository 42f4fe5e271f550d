import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { errorCode, systemReason } from '../../base/systemErrors.ts'
import type { Environment } from '../../processes/environment.ts'
import { StepError } from '../stepError.ts'

/** Bytes; a packed Node.js has a fifth of it. */
const maxPackedBytes = 256 * 1024 * 1024

/** Bytes that are unpacked and hashed at a time. */
const chunkSize = 1024 * 1024

const accessibleToOthers = 0o077

/** Returns the folder of the packed runtimes on the operator's machine (XDG Base Directory Specification). */
export function runtimeCache(env: Environment): string {
  const { XDG_CACHE_HOME: given = '', HOME: home } = env
  const cache = isAbsolute(given) ? given : join(home || userInfo().homedir, '.cache')
  return join(cache, 'muster', 'runtimes')
}

/** Returns the folder of the cache and the size of its files; undefined if it holds none or cannot be read. */
export async function sizeOfRuntimeCache(
  env: Environment,
): Promise<{ readonly folder: string; readonly bytes: number } | undefined> {
  const folder = runtimeCache(env)
  const names = await readdir(folder).catch((): string[] => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return names.length === 0 ? undefined : { folder, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/**
 * Creates the cache folder if it is absent and returns its path. Rejects with a `StepError` unless the folder and its
 * parent are real directories of the invoking user; removes access of others.
 */
export async function openRuntimeCache(env: Environment): Promise<string> {
  const folder = runtimeCache(env)
  const own = dirname(folder)
  const above = dirname(own)
  if (!(await isTrusted(above))) throw unfit(above, 'it belongs to another user')
  await mkdir(above, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unfit(above, reasonOf(error))
  })
  await restrictAccess(own)
  await restrictAccess(folder)
  return folder
}

/** Returns true if the path, or its nearest ancestor that exists, belongs to the invoking user or to root. */
async function isTrusted(path: string): Promise<boolean> {
  try {
    const { uid } = await stat(path)
    return uid === 0 || uid === process.geteuid?.()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw unfit(path, reasonOf(error))
    return isTrusted(dirname(path))
  }
}

async function restrictAccess(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw unfit(folder, reasonOf(error))
  })
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const handle = await open(folder, flags).catch((error: unknown) => {
    throw unfit(folder, reasonOf(error))
  })
  try {
    const { uid, mode } = await handle.stat()
    if (uid !== process.geteuid?.()) throw unfit(folder, 'it belongs to another user')
    if ((mode & accessibleToOthers) !== 0) await handle.chmod(0o700)
  } finally {
    await handle.close()
  }
}

/**
 * Reads a packed runtime and unpacks it to compare the digest; no checksum file beside it is trusted. Undefined if
 * the file is absent, is a link, belongs to another user or does not unpack to that binary.
 */
export async function readCachedRuntime(path: string, binarySha256: string): Promise<Buffer | undefined> {
  const packed = await readOwnFile(path).catch(() => undefined)
  if (packed === undefined) return undefined
  const found = await unpackedSha256(packed).catch(() => undefined)
  return found === binarySha256 ? packed : undefined
}

async function readOwnFile(path: string): Promise<Buffer | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat()
    const fit = stats.isFile() && stats.uid === process.geteuid?.() && stats.size <= maxPackedBytes
    return fit ? await handle.readFile() : undefined
  } finally {
    await handle.close()
  }
}

async function unpackedSha256(packed: Buffer): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(Readable.from([packed]), createGunzip({ chunkSize }), async (chunks) => {
    for await (const chunk of chunks) hash.update(chunk)
  })
  return hash.digest('hex')
}

/** Replaces a packed runtime atomically. */
export async function writeCachedRuntime(path: string, packed: Buffer): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(beside, packed, { mode: 0o600, flag: 'wx' })
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw unfit(path, reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? 'an unknown reason'
  // For a link opened as a folder Linux returns ENOTDIR, other systems ELOOP.
  if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'EEXIST') return 'it is a link or not a folder'
  return systemReason(code) ?? code
}

const unfit = (path: string, why: string): StepError =>
  new StepError({
    host: 'this machine',
    code: 'runtime-cache-unfit',
    message: `the runtime cache cannot use ${path}: ${why}`,
    fix: 'Remove it, set XDG_CACHE_HOME to a folder of your own, or use --runtime-file.',
  })
