import { shortListOf } from '../base/words.ts'
import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import type { Define } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import type { HostConfig } from '../config/model.ts'
import type { Component } from '../contracts/component.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { allInParallel } from '../deployment/execution/rollout.ts'
import { preview } from '../deployment/hostPlan.ts'
import { installedSet } from '../deployment/installedSet.ts'
import { layoutOf } from '../deployment/layout.ts'
import { type ServiceOperation, serviceOperationPlan } from '../deployment/plans/serviceOperationPlan.ts'
import { StepError } from '../deployment/stepError.ts'
import { allFacts, type SurveyedHost } from '../deployment/survey.ts'
import { componentGiven, componentOption, runOnFiles } from '../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { rolloutGiven, rolloutOptions } from '../session/rolloutOptions.ts'
import { changeFlags, changeOptions } from '../session/runOptions.ts'
import { runSteps } from '../session/runSteps.ts'
import { namesOf, rolloutFor, withComponent } from '../session/selectTargets.ts'
import { withHosts } from '../session/withHosts.ts'

/** Defines `muster start`, `stop` or `restart`; only restart has rollout options. */
export const startStopCommand =
  (operation: ServiceOperation): Define =>
  (made, world) => {
    const rolls = operation === 'restart'
    componentOption(changeOptions(made))
    if (rolls) rolloutOptions(made, allInParallel)
    return runOnFiles(made, world, (options) =>
      startStop({
        ...options,
        operation,
        component: componentGiven(made),
        ...changeFlags(made),
        rollout: rolls ? rolloutGiven(made, allInParallel) : allInParallel,
      }),
    )
  }

/**
 * Starts, stops or restarts the components of every reachable host, and skips those in the wanted state. An unreachable
 * host is reported and does not hold up the others.
 */
export async function startStop(
  options: ClusterOptions & {
    readonly operation: ServiceOperation
    /** All of them without one. */
    readonly component: Component | undefined
    readonly yes: boolean
    readonly json: boolean
    readonly lockWait: number
    readonly rollout: Rollout
  },
): Promise<ExitCode> {
  const { context, operation, component, yes } = options
  const { config: opened } = await openCluster(options)
  const config = withComponent(opened, component)
  const { cluster } = config
  const rollout = rolloutFor(config, options.rollout)
  requireConfirmation(context, { yes, command: operation, previewCommand: 'status' })
  const what = component === undefined ? cluster : `the ${component} of ${cluster}`
  const question = `${operation} ${what} on ${shortListOf(namesOf(config.hosts), 8)}?`
  if (!(await isConfirmed(context, { yes, question }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  return withHosts({
    ...options,
    config,
    scope: allFacts,
    requires: 'none',
    work: (session) => {
      const work = session.survey.reached.map((surveyed) => ({
        host: surveyed.host.name,
        transport: surveyed.transport,
        steps: preview(stepsOf(cluster, surveyed, operation), surveyed.facts),
      }))
      return runSteps({ ...session, work, rollout, isPlanned: false })
    },
  })
}

function stepsOf(
  cluster: string,
  { host, facts }: SurveyedHost,
  operation: ServiceOperation,
): ReturnType<typeof serviceOperationPlan> {
  return serviceOperationPlan({
    operation,
    facts,
    set: {
      ...installedSet({ cluster, layout: layoutOf(host.installDirectory), facts }),
      components: componentsOf(host),
    },
    notInstalled: () =>
      new StepError({
        host: host.name,
        code: 'not-installed',
        message: `nothing is installed in ${host.installDirectory}`,
        fix: 'Run `muster install` first.',
      }),
  })
}

const componentsOf = (host: HostConfig): HostConfig['apis'][number]['component'][] =>
  host.apis.map(({ component }) => component)
