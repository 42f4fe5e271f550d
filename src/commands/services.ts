import type { HostConfig } from '../config/model.ts'
import { execute } from '../deployment/execute.ts'
import { layoutOf } from '../deployment/layout.ts'
import { type ServiceOperation, servicePlanOf } from '../deployment/plans/services.ts'
import { preview } from '../deployment/preview.ts'
import { servicePlan } from '../deployment/service.ts'
import { lockState } from '../deployment/state/lockState.ts'
import { StepError } from '../deployment/stepError.ts'
import { closeAll, lostOutcomes, type SurveyedHost, surveyHosts } from '../deployment/survey.ts'
import { summaryText } from '../output/deployment/summary.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { agreed, mustBeAbleToAsk } from './confirmChanges.ts'
import { connectHost } from './connectHost.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { type ClusterOptions, openCluster } from './openCluster.ts'
import { colourOf } from './terminal.ts'

/**
 * `muster start|stop|restart`: every component of every host that can be reached. One that already is as
 * wanted is left alone; a host that cannot be reached is told, and does not keep the others from it.
 */
export async function services(
  options: ClusterOptions & {
    readonly operation: ServiceOperation
    readonly yes: boolean
    readonly json: boolean
  },
): Promise<ExitCode> {
  const { context, operation, yes, json } = options
  mustBeAbleToAsk(context, { yes, command: operation })
  const config = await openCluster(options)
  if (typeof config === 'number') return config
  const hosts = config.hosts.map(({ name }) => name)
  const question = `${operation} ${config.cluster} on ${hosts.join(', ')}?`
  if (!(await agreed(context, { yes, question }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const lock = await lockState({ directory: config.directory, cluster: config.cluster })
  const renderer = await chooseRenderer({ context, json, hosts })
  const { emit } = renderer
  emit({ type: 'run-started', operation, cluster: config.cluster, hosts })
  const clock = (): number => performance.now()
  try {
    const survey = await surveyHosts({ config, connect: (host) => connectHost(context, host), emit, clock })
    const work = survey.reached.map((surveyed) => ({
      host: surveyed.host.name,
      transport: surveyed.transport,
      steps: preview(stepsOf(config.cluster, surveyed, operation), surveyed.facts),
    }))
    const done = await execute({ hosts: work, emit, signal: context.signal, clock })
    const outcomes = [...done, ...lostOutcomes(survey)]
    emit({ type: 'run-ended', outcomes, interrupted: context.signal.aborted })
    await renderer.end()
    await closeAll(survey)
    if (!json) context.stdout.write(summaryText(outcomes, colourOf(context, context.stdout)))
    if (context.signal.aborted) return exitCodes.interrupted
    if (survey.lost.some(({ unreachable }) => unreachable)) return exitCodes.unreachable
    const failed = survey.lost.length > 0 || done.some(({ failure }) => failure !== undefined)
    return failed ? exitCodes.failed : exitCodes.ok
  } finally {
    await lock.release()
  }
}

function stepsOf(
  cluster: string,
  { host, facts }: SurveyedHost,
  operation: ServiceOperation,
): ReturnType<typeof servicePlanOf> {
  return servicePlanOf({
    operation,
    facts,
    set: {
      manager: servicePlan(host, facts).manager,
      cluster,
      layout: layoutOf(host.installDirectory),
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
