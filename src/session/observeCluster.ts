import { describeChain } from '../certificates/chain.ts'
import type { CommandContext } from '../cli/context.ts'
import { failureOf } from '../deployment/hostFailure.ts'
import { hostStatus, type ObservedHost, unreachableStatus } from '../deployment/hostStatus.ts'
import { mapHosts } from '../deployment/mapHosts.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import type { Survey, SurveyedHost } from '../deployment/survey.ts'
import type { SelectedCluster } from './selectTargets.ts'
import { inOrderOf } from './surveyReadOnly.ts'

/** Asks the components of all surveyed hosts how they are, in the order of the file. */
export async function observeCluster(options: {
  readonly context: Pick<CommandContext, 'now' | 'forks'>
  readonly config: SelectedCluster
  readonly state: ClusterState
  readonly survey: Survey
}): Promise<readonly ObservedHost[]> {
  const { context, config, state, survey } = options
  const asked = await mapHosts({
    items: survey.reached,
    forks: context.forks,
    map: (surveyed) => {
      const authorities = authoritiesOf(surveyed, state.authority?.certificate)
      return observeHost({ surveyed, config, authorities, now: context.now() })
    },
  })
  const unreachable = survey.unreachable.map(({ host, failure, unreachable }) =>
    unreachableStatus(host, unreachable ? 'unreachable' : 'failed', failure.message),
  )
  return inOrderOf(config, [...asked, ...unreachable], ({ status }) => status.host)
}

/** Returns the authorities (PEM) that the APIs of a host are verified by, with the cluster's own where it has one. */
export const authoritiesOf = (
  { facts }: Pick<SurveyedHost, 'facts'>,
  authority: string | undefined,
): readonly string[] =>
  // Without our own authority (the operator's own stores), the host's chain says whom it belongs to.
  [authority, facts.installation.chain].filter((pem) => pem !== undefined)

/** Asks the components of a surveyed host how they are. */
export async function observeHost(options: {
  readonly surveyed: SurveyedHost
  readonly config: SelectedCluster
  readonly authorities: readonly string[]
  readonly now: Date
}): Promise<ObservedHost> {
  const { surveyed, config, authorities, now } = options
  const { chain } = surveyed.facts.installation
  const facts = chain === undefined ? undefined : describeChain(chain, now)
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
