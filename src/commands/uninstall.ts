import { registryDirectory } from '../client/registryDirectory.ts'
import { forgetCluster } from '../client/registryFiles.ts'
import { execute } from '../deployment/execute.ts'
import { layoutOf } from '../deployment/layout.ts'
import { uninstallPlan } from '../deployment/plans/uninstall.ts'
import { type PlannedStep, preview } from '../deployment/preview.ts'
import { lockState } from '../deployment/state/lockState.ts'
import { removeState } from '../deployment/state/openState.ts'
import { stateFolder } from '../deployment/state/statePlace.ts'
import { closeAll, lostOutcomes, type SurveyedHost, surveyHosts } from '../deployment/survey.ts'
import { planText } from '../output/deployment/plan.ts'
import { summaryText } from '../output/deployment/summary.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { agreed, mustBeAbleToAsk } from './confirmChanges.ts'
import { connectHost } from './connectHost.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { type ClusterOptions, openCluster } from './openCluster.ts'
import { colourOf } from './terminal.ts'

type UninstallOptions = ClusterOptions & {
  readonly yes: boolean
  readonly json: boolean
  readonly purge: boolean
}

/**
 * `muster uninstall`: takes away from every host that can be reached what install put there. The state
 * directory stays unless --purge, and stays in any case while a host could not be cleaned.
 */
export async function uninstall(options: UninstallOptions): Promise<ExitCode> {
  const { context, yes, json, purge } = options
  mustBeAbleToAsk(context, { yes, command: 'uninstall' })
  const config = await openCluster(options)
  if (typeof config === 'number') return config
  const { cluster } = config
  const place = { directory: config.directory, cluster }
  const colour = colourOf(context, context.stdout)
  const hosts = config.hosts.map(({ name }) => name)
  const clock = (): number => performance.now()
  const lock = await lockState(place)
  const renderer = await chooseRenderer({ context, json, hosts })
  const { emit } = renderer
  emit({ type: 'run-started', operation: 'uninstall', cluster, hosts })
  try {
    const survey = await surveyHosts({ config, connect: (host) => connectHost(context, host), emit, clock })
    try {
      const work = survey.reached.map((surveyed) => ({
        host: surveyed.host.name,
        address: surveyed.host.address,
        transport: surveyed.transport,
        steps: stepsOf(cluster, surveyed),
      }))
      await renderer.end()
      const notes = purge ? [`delete ${stateFolder(place)}, the certificate authority with it`] : []
      const shown = !json && work.length > 0
      if (shown) context.stdout.write(`${planText({ cluster, notes, plans: work, colour })}\n`)
      const nothing = work.every(({ steps }) => steps.length === 0) && !purge
      if (!nothing && !(await agreed(context, { yes, question: 'Go on?' }))) {
        context.stderr.write('Nothing was changed.\n')
        return exitCodes.failed
      }
      const second = await chooseRenderer({ context, json, hosts: work.map(({ host }) => host) })
      const done = await execute({ hosts: work, emit: second.emit, signal: context.signal, clock })
      const outcomes = [...done, ...lostOutcomes(survey)]
      second.emit({ type: 'run-ended', outcomes, interrupted: context.signal.aborted })
      await second.end()
      if (!json) context.stdout.write(summaryText(outcomes, colour))
      if (context.signal.aborted) return exitCodes.interrupted
      if (done.some(({ failure }) => failure !== undefined)) return exitCodes.failed
      if (survey.lost.length > 0) {
        const names = survey.lost.map(({ host }) => host.name).join(', ')
        context.stderr.write(`The state directory is kept: ${names} could not be cleaned.\n`)
        return survey.lost.some(({ unreachable }) => unreachable) ? exitCodes.unreachable : exitCodes.failed
      }
      await forgetCluster({ dir: registryDirectory(context.env), cluster, directory: config.directory })
      if (purge) await removeState(place)
      return exitCodes.ok
    } finally {
      await closeAll(survey)
    }
  } finally {
    await lock.release()
  }
}

const stepsOf = (cluster: string, { host, facts }: SurveyedHost): PlannedStep[] =>
  preview(uninstallPlan({ cluster, layout: layoutOf(host.installDirectory), facts }), facts)
