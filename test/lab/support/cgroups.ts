import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

/** The folders of this process's own control group in the hierarchies that systemd works with (cgroups(7)). */
function ownFolders(): readonly string[] {
  const groups = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
  const folderOf = (prefix: RegExp, mounted: (type: string, options: string) => boolean): string[] => {
    const path = groups.find((line) => prefix.test(line))?.replace(/^[^:]*:[^:]*:/, '')
    const mount = mounts.find(([, , type = '', options = '']) => mounted(type, options))?.[1]
    return path === undefined || mount === undefined ? [] : [join(mount, path)]
  }
  return [
    ...folderOf(/^0::/, (type) => type === 'cgroup2'),
    ...folderOf(
      /^\d+:name=systemd:/,
      (type, options) => type === 'cgroup' && options.includes('name=systemd'),
    ),
  ].filter((folder) => existsSync(folder))
}

/**
 * Makes a control group for one host in each hierarchy and returns their folders. Without one of its own
 * a host shares the groups of its services with every other, and one's systemd removes what another's just made.
 */
export function createCgroups(name: string): readonly string[] {
  const folders = ownFolders().map((own) => join(own, name))
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  return folders
}

function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(folder, entry.name))
  }
  rmdirSync(folder)
}

/** The control groups whose names begin so. */
const groupsOf = (prefix: string): readonly string[] =>
  ownFolders().flatMap((own) =>
    readdirSync(own)
      .filter((entry) => entry.startsWith(prefix))
      .map((name) => join(own, name)),
  )

function processesBelow(folder: string): readonly number[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const own = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').map(Number)
  return [...own.filter((pid) => pid > 0), ...below.flatMap(({ name }) => processesBelow(join(folder, name)))]
}

/** The processes in the control groups whose names begin so. */
export const processesOf = (prefix: string): readonly number[] => groupsOf(prefix).flatMap(processesBelow)

/** Removes the control groups whose names begin so, and ends what is left in them: a host outlives its systemd-nspawn. */
export async function removeCgroups(prefix: string): Promise<void> {
  for (const folder of groupsOf(prefix)) {
    // The kernel lets a group go only when the last process has been reaped.
    await eventually(`the end of control group ${folder}`, () => {
      if (!existsSync(folder)) return true
      for (const pid of processesBelow(folder)) process.kill(pid, 'SIGKILL')
      removeTree(folder)
      return true
    })
  }
}
