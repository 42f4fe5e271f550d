import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../base/systemErrors.ts'
import { stateIoError, symlinkError } from './ioErrors.ts'
import { StateError } from './stateError.ts'
import {
  authorityFiles,
  hostFiles,
  hostsFolder,
  machinesFile,
  rotationFile,
  secretsFile,
} from './stateFiles.ts'

const topFiles = [authorityFiles.certificate, authorityFiles.key, secretsFile, machinesFile, rotationFile]

/** A path that others can read, with its permission bits. */
export type TooOpen = { readonly path: string; readonly mode: number; readonly wanted: number }

/** The files that a state knows, below a folder that may be absent; what others could read goes to `tooOpen`. */
export async function readTree(folder: string, tooOpen: TooOpen[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const take = async (path: string): Promise<void> => {
    const content = await readOne(join(folder, path), tooOpen)
    if (content !== undefined) found.set(path, content)
  }
  if (!(await isFolder(folder, tooOpen))) return found
  for (const name of topFiles) await take(name)
  if (!(await isFolder(join(folder, hostsFolder), tooOpen))) return found
  for (const host of (await readdir(join(folder, hostsFolder))).sort()) {
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

/** Whether a folder is there; anything else in its place is refused. */
export async function isFolder(path: string, tooOpen: TooOpen[]): Promise<boolean> {
  try {
    const found = await lstat(path)
    if (found.isSymbolicLink()) throw symlinkError(path)
    if (!found.isDirectory()) {
      throw new StateError({
        code: 'damaged',
        message: `${path} is a file, but muster keeps its state in a folder of that name`,
        fix: 'move the file away',
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
