import {
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readTrusted } from '../base/trustedFile.ts'
import { reasonOf, StartError } from './startError.ts'

/** Bytes that a file of settings, keys or secrets may have: the settings hold the map of a thousand hosts. */
const largestFile = 16 * 1024 * 1024

/** Text of a file of ours; `what` names it in the `StartError` that is thrown when it cannot be read. */
export function readText(path: string, what: string): string {
  try {
    return readTrusted(path, largestFile).text
  } catch (error) {
    throw new StartError(`cannot read ${what} ${path}: ${reasonOf(error)}`, error)
  }
}

/** Text of a file in a folder that only root can write, which may be a link. Throws a `StartError`. */
export function readLinkedText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(`cannot read ${what} ${path}: ${reasonOf(error)}`, error)
  }
}

/**
 * Files that a deployment had written to take the place of this one when it was cut off, whole (see `uploadScript`);
 * none where the folder cannot be read.
 */
export function stagedCopies(path: string): readonly string[] {
  const folder = dirname(path)
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(`.${basename(path)}.muster-`))
    return names.map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** Returns a text that changes with the content of a file: device, inode, mtime in nanoseconds and size. */
export function identifyFile(path: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${dev} ${ino} ${mtimeNs} ${size}`
  } catch (error) {
    return reasonOf(error)
  }
}

/**
 * Calls back soon after something changes in a folder, as far as the system tells: never a reason to do without
 * a look of one's own now and then. Returns what ends it.
 */
export function watchFolder(path: string, onChange: () => void): () => void {
  try {
    const watcher = watch(path, { persistent: false }, onChange)
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    // Too many watches on this host, say.
    return () => undefined
  }
}

/** Path of the program that this process runs (Linux); the name it was started by elsewhere. */
export function executable(): string {
  try {
    return readlinkSync('/proc/self/exe')
  } catch {
    return process.execPath
  }
}

/** Writes a file as one atomic change. Throws a `StartError`. */
export function writeText(path: string, content: string): void {
  try {
    // Left by a process that died, or put there by somebody: opened anew, never followed.
    rmSync(`${path}.new`, { force: true })
    writeFileSync(`${path}.new`, content, { flag: 'wx' })
    renameSync(`${path}.new`, path)
  } catch (error) {
    rmSync(`${path}.new`, { force: true })
    throw new StartError(`cannot write ${path}: ${reasonOf(error)}`, error)
  }
}

/** Removes a file if it still holds just this content; another's is left alone. */
export function removeText(path: string, content: string): void {
  try {
    if (readTrusted(path, Buffer.byteLength(content)).text === content) rmSync(path)
  } catch {
    // Gone already, or out of reach: either way there is nothing to remove.
  }
}
