import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeCgroups } from './cgroups.ts'
import { pullPowerCord } from './container.ts'
import { succeed } from './execute.ts'
import { bridgeOf, machineOf } from './names.ts'
import { removeNetwork } from './network.ts'
import { argumentsOf, processIds, startTime } from './processTable.ts'

type Owner = { readonly pid: number; readonly started: string | undefined; readonly id: string }

/** Writes down who runs the lab in this folder, so that a later one can tell a living from a crashed one. */
export function claim(run: string, id: string): void {
  const owner: Owner = { pid: process.pid, started: startTime(process.pid), id }
  const next = join(run, `owner.json.${process.pid}`)
  writeFileSync(next, JSON.stringify(owner))
  renameSync(next, join(run, 'owner.json'))
}

/** Who runs the lab in this folder, or ran it; undefined where nobody has claimed it, or it is being removed. */
function ownerOf(run: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(run, 'owner.json'), 'utf8')) as Owner
  } catch {
    return undefined
  }
}

/** The mount points at or below a folder, innermost first. */
export function mountsBelow(folder: string): readonly string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((point) => point.startsWith(`${folder}/`))
    .reverse()
}

/** The systemd-nspawn processes whose host lies below a folder. */
const nspawnsBelow = (folder: string): readonly number[] =>
  processIds().filter((pid) => {
    const [program, ...words] = argumentsOf(pid)
    return (
      program?.endsWith('systemd-nspawn') === true &&
      words.some((word) => word.startsWith(`--directory=${folder}/`))
    )
  })

/** Ends all that a lab started and removes all that it made: hosts, mounts, bridge, control groups, folder. May be repeated. */
export async function clear(run: string): Promise<void> {
  await Promise.all(nspawnsBelow(run).map((pid) => pullPowerCord(pid)))
  for (const point of mountsBelow(run)) await succeed('umount', [point])
  const owner = ownerOf(run)
  if (owner !== undefined) {
    await removeNetwork(bridgeOf(owner.id))
    await removeCgroups(machineOf(owner.id, ''))
  }
  rmSync(run, { recursive: true, force: true })
}

/** Takes over a crashed lab, for one of all that start at the same time: the file of the dead owner is made once. */
function takeOver(run: string, { pid, id }: Owner): boolean {
  try {
    writeFileSync(join(run, `cleared-after-${pid}`), '', { flag: 'wx' })
    claim(run, id)
    return true
  } catch {
    return false
  }
}

/** Clears every lab whose process is gone; labs that run stay as they are. */
export async function clearCrashed(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const run = join(folder, name)
    const owner = ownerOf(run)
    const runs = owner?.started !== undefined && startTime(owner.pid) === owner.started
    if (owner !== undefined && !runs && takeOver(run, owner)) await clear(run)
  }
}
