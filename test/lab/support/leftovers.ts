import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  writeFileSync(join(run, 'owner.json'), JSON.stringify(owner))
}

/** The mount points at or below a folder, innermost first. */
function mountsBelow(folder: string): readonly string[] {
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
  const file = join(run, 'owner.json')
  if (existsSync(file)) {
    const { id } = JSON.parse(readFileSync(file, 'utf8')) as Owner
    await removeNetwork(bridgeOf(id))
    await removeCgroups(machineOf(id, ''))
  }
  rmSync(run, { recursive: true, force: true })
}

/** Clears every lab whose process is gone; labs that run stay as they are. */
export async function clearCrashed(runs: string): Promise<void> {
  if (!existsSync(runs)) return
  for (const name of readdirSync(runs)) {
    const run = join(runs, name)
    const file = join(run, 'owner.json')
    if (!existsSync(file)) continue
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Owner
    if (owner.started === undefined || startTime(owner.pid) !== owner.started) await clear(run)
  }
}
