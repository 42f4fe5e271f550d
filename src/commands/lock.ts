import { isElsewhere } from '../base/processIdentity.ts'
import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes, exitOfHosts } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import { type HostLock, hostLocks, releaseLocks } from '../deployment/lock/hostLocks.ts'
import { staleAfter } from '../deployment/lock/lockScripts.ts'
import { type RunLock, releaseStateLocks, stateLocks } from '../deployment/state/lockState.ts'
import { locksJson, locksText, type ShownLocks } from '../output/deployment/locks.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { installedHostConnector } from '../session/connectInstalledHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { namesOf, type SelectedCluster } from '../session/selectTargets.ts'

export const lockStatusCommand: Define = (made, world) =>
  runOnFiles(targetOptions(made).option('--json', 'print the locks as JSON'), world, (options) =>
    lockStatus({ ...options, json: flag(made, 'json') }),
  )

export const lockReleaseCommand: Define = (made, world) =>
  runOnFiles(
    targetOptions(made)
      .option('-y, --yes', 'release without asking')
      .option('--json', 'print the locks as JSON'),
    world,
    (options) => lockRelease({ ...options, yes: flag(made, 'yes'), json: flag(made, 'json') }),
  )

/** Shows who holds the lock of each host, here and there. Changes nothing. */
async function lockStatus(options: ClusterOptions & { readonly json: boolean }): Promise<ExitCode> {
  const { context, json } = options
  const { config } = await openCluster(options)
  const locks = await hostLocks({
    hosts: config.hosts,
    forks: context.forks,
    connect: await installedHostConnector(context, config),
  })
  show({ context, json, cluster: config.cluster, hosts: locks, state: await stateLocksOf(config) })
  return exitOf(locks)
}

/** Returns the locks of runs in the state directory that are for one of the selected hosts. */
const stateLocksOf = async (config: SelectedCluster): Promise<readonly RunLock[]> => {
  const names = namesOf(config.hosts)
  return (await stateLocks(config)).filter(
    ({ hosts }) => hosts === 'all' || hosts.some((name) => names.includes(name)),
  )
}

/**
 * Releases the locks that are held, after a confirmation that names their holders. In the state directory only those of
 * other machines and containers: a run of this one can be ended.
 */
async function lockRelease(
  options: ClusterOptions & { readonly yes: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const { context, yes, json } = options
  const { config } = await openCluster(options)
  requireConfirmation(context, { yes, command: 'lock release', previewCommand: 'lock status' })
  const { cluster, hosts } = config
  const connect = await installedHostConnector(context, config)
  const seen = await hostLocks({ hosts, forks: context.forks, connect })
  const held = seen.filter(({ state }) => state === 'held')
  const runs = await stateLocksOf(config)
  const elsewhere = runs.filter(isElsewhere)
  const isFree = held.length + elsewhere.length === 0
  if (!json || isFree) show({ context, json, cluster, hosts: seen, state: runs })
  if (isFree) return exitOf(seen)
  const alive = elsewhere.length > 0 || held.some((one) => one.state === 'held' && one.lock.idle < staleAfter)
  const warning = alive
    ? 'A run with a recent heartbeat or of another machine may still be active: without its lock, two runs could change a host at the same time.\n'
    : ''
  if (!json) context.stdout.write(warning)
  const names = [
    ...held.map(({ host }) => host),
    ...(elsewhere.length > 0 ? ['the state directory'] : []),
  ].join(', ')
  if (!(await isConfirmed(context, { yes, question: `Release the lock of ${names}?` }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const left = await releaseLocks({ hosts, forks: context.forks, connect, seen })
  if (elsewhere.length > 0) await releaseStateLocks(config, elsewhere)
  show({ context, json, cluster, hosts: left, state: await stateLocksOf(config) })
  const others = seen.filter(({ state }) => state !== 'held')
  // Another run may have been faster than a person: it has the lock then.
  return left.some(({ state }) => state === 'held') ? exitCodes.locked : exitOf([...left, ...others])
}

function show(options: {
  readonly context: CommandContext
  readonly json: boolean
  readonly cluster: string
  readonly hosts: ShownLocks['hosts']
  readonly state: ShownLocks['state']
}): void {
  const { context, json, cluster } = options
  const { stdout } = context
  stdout.write(json ? locksJson(cluster, options) : locksText(options, lineLayout(context, stdout)))
}

const exitOf = (locks: readonly HostLock[]): ExitCode => exitOfHosts(locks.map(({ state }) => state))
