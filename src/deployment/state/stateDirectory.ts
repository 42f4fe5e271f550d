import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../../base/systemErrors.ts'
import { StateError, stateIoError, symlinkError } from './stateError.ts'
import {
  authorityFiles,
  copyMark,
  hostFiles,
  hostsFolder,
  isHostFile,
  machinesFile,
  rotationFile,
  type StateFiles,
  secretsFile,
} from './stateFiles.ts'
import { musterFolder, type StatePlace, stateFolder } from './statePlace.ts'

const topFiles = [
  authorityFiles.certificate,
  authorityFiles.key,
  secretsFile,
  machinesFile,
  rotationFile,
  copyMark,
]

/** Path that others can read, with its permission bits. */
export type TooOpen = { readonly path: string; readonly mode: number; readonly wanted: number }

/** Reads the known files below a folder that may be absent; adds paths that others can read to `tooOpen`. */
async function readTree(folder: string, tooOpen: TooOpen[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const take = async (path: string): Promise<void> => {
    const content = await readOne(join(folder, path), tooOpen)
    if (content !== undefined) found.set(path, content)
  }
  if (!(await isFolder(folder, tooOpen))) return found
  for (const name of topFiles) await take(name)
  if (!(await isFolder(join(folder, hostsFolder), tooOpen))) return found
  // A save that goes on may remove it now.
  const hosts = (await readdir(join(folder, hostsFolder)).catch(ignore('ENOENT'))) ?? []
  for (const host of hosts.sort()) {
    if (!(await isFolder(join(folder, hostsFolder, host), tooOpen))) continue
    for (const name of Object.values(hostFiles)) await take(`${hostsFolder}/${host}/${name}`)
  }
  return found
}

async function readOne(path: string, tooOpen: TooOpen[]): Promise<Buffer | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const mode = (await file.stat()).mode & 0o777
      if ((mode & 0o077) !== 0) tooOpen.push({ path, mode, wanted: 0o600 })
      return await file.readFile()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw stateIoError(error, 'read', path)
  }
}

/** Returns true if a folder exists; throws for anything else in its place. */
async function isFolder(path: string, tooOpen: TooOpen[]): Promise<boolean> {
  try {
    const found = await lstat(path)
    if (found.isSymbolicLink()) throw symlinkError(path)
    if (!found.isDirectory()) {
      throw new StateError({
        code: 'damaged',
        message: `${path} is a file, but muster keeps its state in a folder of that name`,
        fix: 'move or rename the file',
      })
    }
    const mode = found.mode & 0o777
    if ((mode & 0o077) !== 0) tooOpen.push({ path, mode, wanted: 0o700 })
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw stateIoError(error, 'read', path)
  }
}

/** Folder of new files that are committed: it exists until each file has been moved to its place. */
const committed = '.staged'
const staging = '.staging-'

/**
 * Reads the state's files as committed, and paths that are too open; undefined if there is no state. Changes nothing.
 */
export async function readFiles(
  place: StatePlace,
): Promise<{ files: StateFiles; tooOpen: readonly TooOpen[] } | undefined> {
  const folder = stateFolder(place)
  const tooOpen: TooOpen[] = []
  if (!(await isFolder(musterFolder(place), tooOpen))) return undefined
  // Committed files are valid at once: a run may have died while it moved them. They are read first: one that is moved
  // meanwhile is found in its place.
  const staged = await readTree(join(folder, committed), tooOpen)
  const placed = await readTree(folder, tooOpen)
  const gone = [...staged].filter(([, content]) => content.length === 0).map(([path]) => path)
  const files = new Map([...placed, ...staged].filter(([path]) => !gone.includes(path)))
  return files.size === 0 ? undefined : { files, tooOpen }
}

/**
 * Returns a mark that is another one after a save, and undefined while it may still change without notice: times of
 * files are no finer than a tick of the kernel.
 */
export async function saveMark(place: StatePlace): Promise<string | undefined> {
  const path = stateFolder(place)
  const found = await lstat(path, { bigint: true }).catch((error: unknown) => {
    // A file in place of the folder above is reported by whoever reads.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    throw stateIoError(error, 'read', path)
  })
  if (found === undefined) return 'none'
  return Date.now() - Number(found.ctimeMs) > tick ? `${found.ino} ${found.ctimeNs}` : undefined
}

/** Milliseconds; the longest tick is 10 ms. */
const tick = 20

/** Creates the state's folder (0700) and the `.gitignore` above it. */
export async function makeFolder(place: StatePlace): Promise<void> {
  try {
    for (const path of [musterFolder(place), stateFolder(place)]) {
      await mkdir(path, { mode: 0o700 }).catch(ignore('EEXIST'))
      await isFolder(path, [])
    }
    await keepOutOfGit(place)
  } catch (error) {
    throw stateIoError(error, 'write', stateFolder(place))
  }
}

async function keepOutOfGit(place: StatePlace): Promise<void> {
  const path = join(musterFolder(place), '.gitignore')
  const file = await open(path, 'wx', 0o600).catch(ignore('EEXIST'))
  if (file !== undefined) await file.writeFile('*\n').finally(() => file.close())
}

/** Creates the state's folder, and completes an interrupted write. The caller holds the gate. */
export async function prepareFolder(place: StatePlace): Promise<void> {
  await makeFolder(place)
  const folder = stateFolder(place)
  try {
    await moveStaged(folder)
    for (const name of await readdir(folder)) {
      if (name.startsWith(staging)) await rm(join(folder, name), { recursive: true })
    }
  } catch (error) {
    throw stateIoError(error, 'write', folder)
  }
}

/**
 * Writes files (0600) below the state's folder: all of them or, after a crash, none. An empty content deletes the
 * file.
 */
export async function writeFiles(place: StatePlace, files: StateFiles): Promise<void> {
  await prepareFolder(place)
  const folder = stateFolder(place)
  const made = join(folder, staging + randomBytes(8).toString('hex'))
  try {
    await mkdir(made, { mode: 0o700 })
    for (const [path, content] of files) {
      await mkdir(dirname(join(made, path)), { recursive: true, mode: 0o700 })
      const file = await open(join(made, path), 'wx', 0o600)
      await file
        .writeFile(content)
        .then(() => file.sync())
        .finally(() => file.close())
    }
    for (const path of new Set([...files.keys()].map((name) => dirname(name)))) await sync(join(made, path))
    await rename(made, join(folder, committed))
    await sync(folder)
    await moveStaged(folder)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    throw stateIoError(error, 'write', folder)
  }
}

/** Removes access of others; returns the paths that could not be changed. */
export async function restrictAccess(tooOpen: readonly TooOpen[]): Promise<readonly TooOpen[]> {
  const failed: TooOpen[] = []
  for (const one of tooOpen) await chmod(one.path, one.wanted).catch(() => failed.push(one))
  return failed
}

/** Deletes the state of one cluster; `.muster` too if no other cluster has a state there. */
export async function deleteFolder(place: StatePlace): Promise<void> {
  const [above, folder] = [musterFolder(place), stateFolder(place)]
  try {
    if (!(await isFolder(above, [])) || !(await isFolder(folder, []))) return
    await rm(folder, { recursive: true })
    const rest = await readdir(above)
    if (rest.every((name) => name === '.gitignore')) await rm(above, { recursive: true })
  } catch (error) {
    throw stateIoError(error, 'write', folder)
  }
}

/** Removes a state's folder if it is empty, and then `.muster` if it holds nothing else. */
export async function dropEmptyFolder(place: StatePlace): Promise<void> {
  const above = musterFolder(place)
  try {
    if (!(await removed(stateFolder(place)))) return
    const rest = (await readdir(above).catch(ignore('ENOENT'))) ?? []
    if (rest.some((name) => name !== '.gitignore')) return
    await rm(join(above, '.gitignore'), { force: true })
    // Another run may have started meanwhile: its secrets must stay out of git.
    if (!(await removed(above))) await keepOutOfGit(place)
  } catch (error) {
    throw stateIoError(error, 'write', above)
  }
}

/** Removes an empty folder; returns false if it was not empty. */
async function removed(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'ENOENT') return false
    throw error
  }
}

async function moveStaged(folder: string): Promise<void> {
  const from = join(folder, committed)
  const files = await readTree(from, [])
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    if (content.length === 0) await rm(join(folder, path), { force: true })
    else await rename(join(from, path), join(folder, path))
    await sync(dirname(join(folder, path)))
  }
  // The last file of a host takes its folder with it.
  const emptied = [...files].filter(([path, content]) => content.length === 0 && isHostFile(path))
  for (const host of new Set(emptied.map(([path]) => dirname(join(folder, path))))) await removed(host)
  await rm(from, { recursive: true, force: true })
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

const ignore =
  (code: string) =>
  (error: unknown): undefined => {
    if (errorCode(error) !== code) throw error
  }
