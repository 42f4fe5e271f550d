import { requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { textWidth } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { registryDirectory, removeCluster } from '../client/registry.ts'
import type { HostFacts } from '../deployment/facts/hostFacts.ts'
import { sizeOfRuntimeCache } from '../deployment/runtime/runtimeCache.ts'
import { openState, removeState } from '../deployment/state/openState.ts'
import { stateFolder } from '../deployment/state/statePlace.ts'
import { allFacts } from '../deployment/survey.ts'
import { remainsText } from '../output/deployment/remainsText.ts'
import { runOnFiles } from '../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { forgetHosts, removalOf } from '../session/removal.ts'
import { changeFlags, changeOptions } from '../session/runOptions.ts'
import { type Refusal, type RunPlan, refusalFor, runPlan } from '../session/runPlan.ts'
import { namesOf } from '../session/selectTargets.ts'
import type { SurveyedSession } from '../session/session.ts'
import { withHosts } from '../session/withHosts.ts'

export const uninstallCommand: Define = (made, world) =>
  runOnFiles(
    changeOptions(made).option('--purge', 'also delete the state directory and its certificate authority'),
    world,
    (options) => uninstall({ ...options, ...changeFlags(made), purge: flag(made, 'purge') }),
  )

type UninstallOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  readonly purge: boolean
}

/**
 * Removes from every reachable host what install put there. Keeps the state directory without --purge, and while any
 * host could not be cleaned.
 */
export async function uninstall(options: UninstallOptions): Promise<ExitCode> {
  const { context, yes, purge } = options
  const { config } = await openCluster(options)
  if (purge && config.excluded.length > 0) {
    throw new UsageError(
      '--purge deletes files that all hosts need, but only some hosts are selected.',
      'Leave --purge out, or --host, --service and --shard.',
    )
  }
  requireConfirmation(context, { yes, command: 'uninstall', previewCommand: 'status' })
  return withHosts({
    ...options,
    config,
    operation: 'uninstall',
    locksCluster: purge,
    scope: allFacts,
    requires: 'none',
    work: (session) => runPlan(session, decideRemoval(session, purge)),
  })
}

/** Names what is left once nothing of the cluster is installed any more. */
async function printRemains(
  { context, config, json }: SurveyedSession<HostFacts>,
  purge: boolean,
): Promise<void> {
  const users = config.hosts.flatMap(({ monitor, database }) => [monitor?.user, database?.account?.user])
  const runtimes = await sizeOfRuntimeCache(context.env)
  const remains = {
    accounts: [...new Set(users.filter((user) => user !== undefined))].sort(),
    ...(purge ? {} : { state: stateFolder(config) }),
    ...(runtimes && { runtimes }),
  }
  const output = json ? context.stderr : context.stdout
  output.write(remainsText(remains, { width: textWidth(output) }))
}

function decideRemoval(session: SurveyedSession<HostFacts>, purge: boolean): RunPlan | Refusal {
  const { context, config, run, survey } = session
  const { cluster, directory, excluded } = config
  const removal = removalOf(config, survey.reached)
  if ('problems' in removal) return refusalFor(removal.problems)
  return {
    ...removal,
    notes: purge ? [`delete ${stateFolder(config)} and its certificate authority`] : [],
    alwaysConfirms: purge,
    executeAndSave: async (execute) => {
      const { exit } = await execute()
      if (survey.unreachable.length > 0) {
        const names = survey.unreachable.map(({ host }) => host.name).join(', ')
        context.stderr.write(`The state directory is kept: nothing was removed from ${names}.\n`)
      }
      if (exit !== exitCodes.ok) return exit
      const { state } = await openState(config)
      // The file may lose them now without a word.
      await forgetHosts({ context, config, state, names: namesOf(config.hosts) })
      if (excluded.length > 0) return exitCodes.ok
      await removeCluster({ dir: registryDirectory(context.env), cluster, directory })
      if (purge) {
        run.discardRecord()
        await removeState(config)
      }
      await printRemains(session, purge)
      return exitCodes.ok
    },
  }
}
