import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { createCgroups } from './cgroups.ts'
import { eventually } from './eventually.ts'
import { childrenOf, innermostPid, runs } from './processTable.ts'

/** One booted host: its systemd-nspawn and, below it, the container's process 1. */
export type Container = {
  /** Process 1 of the host as this machine numbers it. */
  readonly init: number
  /** The power cord: ends every process of the host at once. Settles when all is gone. */
  kill(): Promise<void>
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

/** The container's process 1; undefined while nspawn is not that far. */
const initOf = (nspawn: number): number | undefined =>
  childrenOf(nspawn).find((pid) => innermostPid(pid) === 1)

/** Ends a container whose nspawn has this process id: killing nspawn alone leaves the rest running. */
export async function pullPowerCord(nspawn: number): Promise<void> {
  const init = initOf(nspawn)
  if (init !== undefined) process.kill(init, 'SIGKILL')
  else if (runs(nspawn)) process.kill(nspawn, 'SIGKILL')
  await eventually('the end of a host', () => !runs(nspawn) && (init === undefined || !runs(init)))
}

/** Boots the Debian below `root`; what it prints goes to the file `consoleLog`. */
export async function boot(facts: {
  readonly root: string
  /** Unique on this machine and short: the names of its network devices are made from it. */
  readonly machine: string
  readonly bridge: string
  readonly consoleLog: string
}): Promise<Container> {
  const log = openSync(facts.consoleLog, 'a')
  const args = [
    '--boot',
    `--directory=${facts.root}`,
    `--machine=${facts.machine}`,
    '--register=no',
    '--keep-unit',
    `--network-bridge=${facts.bridge}`,
    '--private-users=no',
    '--link-journal=no',
    '--console=pipe',
  ]
  // An end of standard input would be the end of the console: the pipe stays open as long as we live.
  const groups = createCgroups(facts.machine).map((folder) => `${folder}/cgroup.procs`)
  const enter = 'n=$1; shift; while [ $n -gt 0 ]; do echo $$ > "$1"; shift; n=$((n - 1)); done; exec "$@"'
  const words = ['-euc', enter, 'enter', String(groups.length), ...groups, 'systemd-nspawn', ...args]
  const child = spawn('sh', words, {
    stdio: ['pipe', log, log],
    env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' },
  })
  closeSync(log)
  const pid = child.pid
  if (pid === undefined) throw new Error('systemd-nspawn could not be started')
  const init = await eventually(`process 1 of ${facts.machine}`, () => {
    if (child.exitCode !== null) throw new Error(`systemd-nspawn ended; see ${facts.consoleLog}`)
    return initOf(pid)
  })
  return {
    init,
    kill: async () => {
      await pullPowerCord(pid)
      await ended(child)
    },
  }
}
