import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Every path below a folder that may be absent, in order. */
export function pathsBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .sort()
  } catch {
    return []
  }
}

/** The regular files below a folder. */
export const filesBelow = (folder: string): readonly string[] =>
  pathsBelow(folder).filter((path) => lstatSync(path).isFile())

/**
 * What lies below a folder, by path: kind, mode, owner, inode, and of a file the time of the last change and
 * the content. Logs are left out: they grow by themselves, or with each run.
 */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pathsBelow(folder)
      .filter((path) => !/\.log$|\/runs\.jsonl$/.test(path))
      .map((path) => {
        const stat = lstatSync(path, { bigint: true })
        // A lock that came and went changes its folder's time and nothing else.
        const time = stat.isDirectory() ? '' : stat.mtimeNs
        const facts = [stat.mode.toString(8), stat.uid, stat.gid, stat.ino, time, contentOf(path)]
        return [relative(folder, path), facts.join(' ')]
      }),
  )
}

function contentOf(path: string): string {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return readlinkSync(path)
  return stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
}
