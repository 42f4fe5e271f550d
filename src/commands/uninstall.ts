import { agreed, mustBeAbleToAsk } from '../cli/confirmChanges.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { registryDirectory } from '../client/registryDirectory.ts'
import { forgetCluster, forgetHosts } from '../client/registryFiles.ts'
import { layoutOf } from '../deployment/layout.ts'
import { uninstallPlan } from '../deployment/plans/uninstall.ts'
import { type PlannedStep, preview } from '../deployment/preview.ts'
import { removeState } from '../deployment/state/openState.ts'
import { stateFolder } from '../deployment/state/statePlace.ts'
import { type Survey, type SurveyedHost, wholeLook } from '../deployment/survey.ts'
import type { Run } from '../session/inRun.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { runSteps } from '../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../session/selectTargets.ts'
import { showPlan } from '../session/showPlan.ts'
import { withHosts } from '../session/withHosts.ts'

type UninstallOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  readonly purge: boolean
}

/**
 * `muster uninstall`: takes away from every host that can be reached what install put there. The state
 * directory stays unless --purge, and stays in any case while a host could not be cleaned.
 */
export async function uninstall(options: UninstallOptions): Promise<ExitCode> {
  const { context, yes, json } = options
  mustBeAbleToAsk(context, { yes, command: 'uninstall', look: 'status' })
  const { config } = await openCluster(options)
  if (options.purge && config.left.length > 0) {
    throw new UsageError(
      '--purge deletes files that all hosts need, but only some hosts are selected.',
      'Leave --purge out, or --host and --service.',
    )
  }
  return withHosts({
    look: wholeLook,
    context,
    config,
    json,
    operation: 'uninstall',
    lockWait: options.lockWait,
    work: (survey, run) => removeFrom({ ...options, config, survey, run }),
  })
}

async function removeFrom(
  options: UninstallOptions & {
    readonly config: SelectedCluster
    readonly survey: Survey
    readonly run: Run
  },
): Promise<ExitCode> {
  const { context, json, yes, purge, config, survey, run } = options
  const { cluster, directory } = config
  const place = { directory, cluster }
  const left = namesOf(config.left)
  const work = survey.reached.map((surveyed) => ({
    host: surveyed.host.name,
    address: surveyed.host.address,
    transport: surveyed.transport,
    steps: stepsOf(cluster, surveyed),
  }))
  const notes = purge ? [`delete ${stateFolder(place)} and its certificate authority`] : []
  if (!json) showPlan(context, { cluster, notes, plans: work, left })
  const nothing = work.every(({ steps }) => steps.length === 0) && !purge
  if (!nothing && !(await agreed(context, { yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const exit = await runSteps({ context, json, run, survey, work })
  if (survey.lost.length > 0) {
    const names = survey.lost.map(({ host }) => host.name).join(', ')
    context.stderr.write(`The state directory is kept: ${names} could not be cleaned.\n`)
  }
  if (exit !== exitCodes.ok) return exit
  if (left.length > 0) {
    await forgetHosts({ dir: registryDirectory(context.env), ...config, hosts: namesOf(config.hosts) })
    return exitCodes.ok
  }
  await forgetCluster({ dir: registryDirectory(context.env), cluster, directory })
  if (!purge) return exitCodes.ok
  run.forget()
  await removeState(place)
  return exitCodes.ok
}

const stepsOf = (cluster: string, { host, facts }: SurveyedHost): PlannedStep[] =>
  preview(uninstallPlan({ cluster, layout: layoutOf(host.installDirectory), facts }), facts)
