import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { errorCode, systemErrorText } from '../base/systemErrors.ts'
import type { Environment } from './environment.ts'

/** Absolute path of a program, or why it is not run: the end of a sentence after its name, and the fix. */
type FoundProgram = { readonly path: string } | { readonly problem: string; readonly fix: string }

/** Maximum number of links in a path, as in the kernel (path_resolution(7)). */
const maxLinks = 40

/** Finds a program as a shell would: a name with a slash from `cwd`, another one in the folders of PATH. */
function pathOf(
  name: string,
  options: { readonly cwd: string; readonly env: Environment },
): string | undefined {
  if (name.includes('/')) return resolve(options.cwd, name)
  const folders = (options.env.PATH ?? '/usr/bin:/bin').split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * Finds a program, and refuses one that a user other than root and the one of this process could change or replace: no
 * folder and no link on the way to it may be theirs. Nobody can then replace it before it is started.
 */
export function findProgram(
  name: string,
  options: { readonly cwd: string; readonly env: Environment },
): FoundProgram {
  const path = pathOf(name, options)
  if (path === undefined) {
    return { problem: 'is in no folder of PATH', fix: 'Correct the name, or write its path with a slash.' }
  }
  try {
    const changeable = changeableOn(path)
    if (changeable !== undefined) return changeable
    if (!statSync(path).isFile()) {
      return { problem: 'is not a file', fix: 'Name a program.' }
    }
    return isExecutable(path) ? { path } : { problem: 'is not executable', fix: `Run: chmod u+x ${path}` }
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') {
      const fix = 'Correct the path. A relative path starts in the folder of the YAML file.'
      return { problem: 'does not exist', fix }
    }
    return { problem: `cannot be run: ${systemErrorText(error)}`, fix: `Check it with: ls -l ${path}` }
  }
}

/** Returns true if a part of a path below a folder is a link, which may lead anywhere; does not follow it. */
export function hasLinkBelow(folder: string, path: string): boolean {
  let at = folder
  return relative(folder, path)
    .split('/')
    .some((part) => {
      at = join(at, part)
      return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true
    })
}

/** Returns the first file, folder or link on the way to a program that others could change; every link is followed. */
function changeableOn(path: string): Extract<FoundProgram, { problem: string }> | undefined {
  const left = path.split('/').filter((part) => part !== '')
  let at = '/'
  let links = 0
  let refused = refusalOf(at, lstatSync(at))
  while (left.length > 0 && refused === undefined) {
    const part = left.shift() ?? ''
    if (part === '.') continue
    if (part === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, part)
    const stats = lstatSync(next)
    refused = refusalOf(next, stats)
    if (!stats.isSymbolicLink()) {
      at = next
      continue
    }
    links += 1
    if (links > maxLinks)
      return { problem: 'has too many links on its path', fix: 'Name the program itself.' }
    const target = readlinkSync(next)
    if (isAbsolute(target)) at = '/'
    left.unshift(...target.split('/').filter((one) => one !== ''))
  }
  return refused
}

function refusalOf(path: string, stats: Stats): Extract<FoundProgram, { problem: string }> | undefined {
  const own = process.geteuid?.()
  if (own === undefined) return undefined
  const { uid, mode } = stats
  if (uid !== 0 && uid !== own) {
    const problem = `is not run: ${path} belongs to user id ${uid}, who could replace what runs as you`
    return { problem, fix: `Use a program that only you or root can change, or run: chown ${own} ${path}` }
  }
  // In a folder such as /tmp nobody can remove what others own (sticky, inode(7)).
  const isSafe =
    stats.isSymbolicLink() || (mode & 0o022) === 0 || (stats.isDirectory() && (mode & 0o1000) !== 0)
  if (isSafe) return undefined
  const shown = (mode & 0o7777).toString(8).padStart(4, '0')
  return {
    problem: `is not run: other users can change ${path} (mode ${shown})`,
    fix: `Run: chmod go-w ${path}`,
  }
}
