import { execFileSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../../api/startError.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { type GtidSet, noGtids, readMysqlGtids, uniteGtids } from '../databases/gtidSet.ts'
import { isServer, ownSource, programOf, serverAt, unitOf } from '../localServer.ts'
import { asOwner, runProgram, systemctl } from '../provision/program.ts'
import { type Committed, readCommitted, removeWaiting } from '../provision/waitingCommits.ts'
import { openLastRuns, runsFileOf } from './lastRuns.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Does something about commits that wait, whose failure is no reason to let a second server run; says it, then. */
async function about<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    say(`commits that wait are left in the log of the server: ${(error as Error).message}`)
    return undefined
  }
}

/**
 * Reads what other servers have of this one, as its manager recorded it, by the rights of the manager. Whoever took those over can
 * only have more kept than that. Rejects with a `StartError`.
 */
export async function readKept(
  settings: Pick<ServerSettings, 'services' | 'member' | 'stateFile'>,
): Promise<GtidSet> {
  const { stateFile } = settings
  if (stateFile === undefined) throw new StartError('the settings name no file of the state of the manager')
  const path = runsFileOf(stateFile)
  const text = await runProgram(asOwner(lstatSync(dirname(path)), ['cat', '--', path]))
  const run = openLastRuns({ read: () => JSON.parse(text), write: () => undefined }).of(ownSource(settings))
  const kept = run?.kept === undefined ? noGtids : readMysqlGtids(run.kept)
  if (!run || !kept) throw new StartError('the manager did not record what other servers have of it')
  return kept
}

/** Reads which commits stay: those of its engine, and those that other servers have. Undefined where none waits. */
async function readStaying(settings: Parameters<typeof readKept>[0]): Promise<Committed | undefined> {
  const committed = await readCommitted(settings)
  return committed && { ...committed, gtids: uniteGtids([committed.gtids, await readKept(settings)]) }
}

/** Removes what waits from the log of a server that was killed, while its unit does not start it. Rejects with a `StartError`. */
async function removeStopped(unit: string, committed: Committed): Promise<string> {
  // Services that require it go on.
  await systemctl('stop', '--job-mode=ignore-dependencies', '--', unit)
  return removeWaiting(committed, async () => {
    const state = await systemctl('show', '--property=ActiveState', '--value', '--', unit)
    return ['failed', 'inactive'].includes(state.trim())
  })
}

/** Milliseconds until a process is gone that was killed. */
const endLimit = 10_000

/**
 * Kills the database server of a manager's host and starts its unit again, where the settings name one, exactly one listens at
 * its port, and a service of systemd runs it. Throws a `StartError` otherwise, and then nothing was done.
 */
export async function crashOwnServer(settings: Parameters<typeof readKept>[0]) {
  const { port } = ownSource(settings)
  const pid = serverAt(port)
  if (pid === undefined) throw new StartError(`no MariaDB or MySQL listens at port ${port} of this host`)
  const unit = unitOf(pid)
  if (unit === undefined) {
    throw new StartError(
      `the server at port ${port} (process ${pid}) is no service of systemd: kill it, and start it`,
    )
  }
  // Servers of MariaDB remove by themselves what nobody acknowledged, and have this name from release 10.4 on.
  const committed = programOf(pid) === 'mariadbd' ? undefined : await about(() => readStaying(settings))
  process.kill(pid, 'SIGKILL')
  const removed = committed && (await about(() => removeStopped(unit, committed)))
  const end = performance.now() + endLimit
  while (isServer(pid) && performance.now() < end) await wait(20)
  if (removed) say(`removed from the log of the server what waited for a replica: ${removed}`)
  execFileSync('systemctl', ['start', '--no-block', '--', unit], { stdio: ['ignore', 'inherit', 'inherit'] })
  say(`killed the server at port ${port} (process ${pid}) and started ${unit}`)
}
