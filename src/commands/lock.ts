import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes, exitOfHosts } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import { type HostLock, hostLocks, releaseLocks } from '../deployment/lock/hostLocks.ts'
import { staleAfter } from '../deployment/lock/lockScripts.ts'
import { locksJson, locksText } from '../output/deployment/locks.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { installedHostConnector } from '../session/connectInstalledHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'

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

/** Shows who holds the lock of each host. Changes nothing. */
async function lockStatus(options: ClusterOptions & { readonly json: boolean }): Promise<ExitCode> {
  const { context, json } = options
  const { config } = await openCluster(options)
  const locks = await hostLocks({
    hosts: config.hosts,
    forks: context.forks,
    connect: await installedHostConnector(context, config),
  })
  show({ context, json, cluster: config.cluster, locks })
  return exitOf(locks)
}

/** Releases the locks that are held, after a confirmation that names their holders. */
async function lockRelease(
  options: ClusterOptions & { readonly yes: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const { context, yes, json } = options
  requireConfirmation(context, { yes, command: 'lock release', previewCommand: 'lock status' })
  const { config } = await openCluster(options)
  const { cluster, hosts } = config
  const connect = await installedHostConnector(context, config)
  const seen = await hostLocks({ hosts, forks: context.forks, connect })
  const held = seen.filter(({ state }) => state === 'held')
  if (!json || held.length === 0) show({ context, json, cluster, locks: seen })
  if (held.length === 0) return exitOf(seen)
  const alive = held.some((one) => one.state === 'held' && one.lock.idle < staleAfter)
  const warning = alive
    ? 'A run with a recent heartbeat may still be active: without its lock, two runs could change a host at the same time.\n'
    : ''
  if (!json) context.stdout.write(warning)
  const names = held.map(({ host }) => host).join(', ')
  if (!(await isConfirmed(context, { yes, question: `Release the lock of ${names}?` }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const left = await releaseLocks({ hosts, forks: context.forks, connect, seen })
  show({ context, json, cluster, locks: left })
  const others = seen.filter(({ state }) => state !== 'held')
  // Another run may have been faster than a person: it has the lock then.
  return left.some(({ state }) => state === 'held') ? exitCodes.locked : exitOf([...left, ...others])
}

function show(options: {
  readonly context: CommandContext
  readonly json: boolean
  readonly cluster: string
  readonly locks: readonly HostLock[]
}): void {
  const { context, json, cluster, locks } = options
  const { stdout } = context
  stdout.write(json ? locksJson(cluster, locks) : locksText(locks, lineLayout(context, stdout)))
}

const exitOf = (locks: readonly HostLock[]): ExitCode => exitOfHosts(locks.map(({ state }) => state))
