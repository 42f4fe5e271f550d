import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { betrays, type Sentinel } from './sentinel.ts'

/** Every regular file below a folder, except below folders of these names; a folder that is not there has none. */
export function filesBelow(folder: string, except: readonly string[] = []): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return except.includes(entry.name) ? [] : filesBelow(path, except)
    return entry.isFile() ? [path] : []
  })
}

/** The files below these folders that hold the password in any form. */
export const betrayedBy = (
  sentinel: Sentinel,
  folders: readonly string[],
  except: readonly string[] = [],
): readonly string[] =>
  folders.flatMap((folder) => filesBelow(folder, except)).filter((file) => betrays(sentinel, contentOf(file)))

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    // Gone since it was listed, as files below /run may be.
    return Buffer.alloc(0)
  }
}
