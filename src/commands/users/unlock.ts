import type { Define } from '../../cli/command.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import { unlockOnHost } from '../../deployment/users/userCallsOnHost.ts'
import { runOnFiles, targetOptions } from '../../session/clusterOptions.ts'
import { onEachInstallation } from '../../session/connectInstalledHost.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { exitOfUnreachable, reportUnreachable } from '../../session/outcomes.ts'
import { userArgument, userGiven } from './namedUsers.ts'

export const usersUnlockCommand: Define = (made, world) =>
  runOnFiles(targetOptions(userArgument(made)), world, async (options) => unlock(userGiven(options)))

/** Unlocks a user name in every component of every reachable host. */
export async function unlock(options: ClusterOptions & { readonly user: string }): Promise<ExitCode> {
  const { context, user } = options
  const { config } = await openCluster(options)
  const results = await onEachInstallation({
    context,
    config,
    work: (transport, at) => unlockOnHost(transport, { ...at, user }),
  })
  for (const one of results) {
    if (!('result' in one)) continue
    const where = one.result.length === 0 ? 'not locked out' : `unlocked in the ${one.result.join(', ')}`
    context.stdout.write(`${one.host.name}: ${user} ${one.result.length === 0 ? 'was ' : ''}${where}\n`)
  }
  const unreachable = results.filter((one) => 'failure' in one)
  reportUnreachable(context, unreachable)
  return exitOfUnreachable(unreachable)
}
