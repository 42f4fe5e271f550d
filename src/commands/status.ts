import { jsonText } from '../base/json.ts'
import { describeChain } from '../certificates/chain.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { tableLayout } from '../cli/terminal.ts'
import { joinReports, managersAgree, type ServiceView, viewsToJson } from '../client/clusterView.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { Component } from '../contracts/component.ts'
import { failureOf } from '../deployment/hostFailure.ts'
import { hostStatus, isWell, type ObservedHost, unreachableStatus } from '../deployment/hostStatus.ts'
import { allFacts, closeAll, type SurveyedHost } from '../deployment/survey.ts'
import { statusText } from '../output/deployment/statusText.ts'
import { componentGiven, componentOption, runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { installedHosts, recordInstalled } from '../session/recordInstalled.ts'
import { withComponent } from '../session/selectTargets.ts'
import { inOrderOf, surveyReadOnly, withShortTimeout } from '../session/surveyReadOnly.ts'

export const statusCommand: Define = (made, world) =>
  runOnFiles(
    componentOption(targetOptions(made)).option('--json', 'print the status as JSON'),
    world,
    (options) => status({ ...options, component: componentGiven(made), json: flag(made, 'json') }),
  )

/**
 * Shows the current state of every host and component, and the cluster as its managers see it. An unreachable host is
 * shown and does not delay the others.
 */
export async function status(
  options: ClusterOptions & { readonly component: Component | undefined; readonly json: boolean },
): Promise<ExitCode> {
  const { context, json } = options
  const { config: chosen } = await openCluster(options)
  const config = withComponent(chosen, options.component)
  await prepareConnections(context, withShortTimeout(config).hosts)
  const { state, survey } = await surveyReadOnly(context, config, allFacts)
  const authority = state.authority?.certificate
  const asked = await Promise.all(
    survey.reached.map((surveyed) => ask({ surveyed, config, authority, now: context.now() })),
  )
  const unreachable = survey.unreachable.map(({ host, failure, unreachable }) =>
    unreachableStatus(host, unreachable ? 'unreachable' : 'failed', failure.message),
  )
  await closeAll(survey)
  await recordInstalled({ context, config, state, seen: installedHosts(config.cluster, survey.reached) })
  const observed = inOrderOf(config, [...asked, ...unreachable], ({ status }) => status.host)
  const hosts = observed.map(({ status }) => status)
  const reports = observed.flatMap(({ report }) => report ?? [])
  const map = config.services.filter(({ datasources }) => datasources.length > 0)
  const services = reports.length === 0 ? [] : joinReports(reports, map)
  if (json)
    context.stdout.write(jsonText({ cluster: config.cluster, hosts, services: viewsToJson(services) }))
  else context.stdout.write(statusText({ hosts, services }, tableLayout(context)))
  return exitOf(observed, services)
}

async function ask(options: {
  readonly surveyed: SurveyedHost
  readonly config: ClusterConfig
  readonly authority: string | undefined
  readonly now: Date
}): Promise<ObservedHost> {
  const { surveyed, config, authority, now } = options
  const { chain } = surveyed.facts.installation
  const facts = chain === undefined ? undefined : describeChain(chain, now)
  // Without our own authority (the operator's own stores), the host's chain says whom it belongs to.
  const authorities = [authority, chain].filter((pem) => pem !== undefined)
  try {
    return await hostStatus({
      surveyed,
      cluster: config.cluster,
      services: config.services,
      authorities,
      certificateExpires: facts?.notAfter.toISOString(),
    })
  } catch (error) {
    return unreachableStatus(surveyed.host, 'unreachable', failureOf(error).message)
  }
}

function exitOf(observed: readonly ObservedHost[], services: readonly ServiceView[]): ExitCode {
  if (observed.some(({ status }) => status.state === 'unreachable')) return exitCodes.unreachable
  return observed.every(isWell) && managersAgree(services) ? exitCodes.ok : exitCodes.failed
}
