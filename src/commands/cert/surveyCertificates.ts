import type { CommandContext } from '../../cli/context.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import type { InspectedHost } from '../../deployment/certificates/checkCertificates.ts'
import { expectedCertificate, originOf } from '../../deployment/certificates/decideCertificates.ts'
import { hostCertificates, unreachableCertificates } from '../../deployment/certificates/hostCertificates.ts'
import { failureOf } from '../../deployment/hostFailure.ts'
import { mapHosts } from '../../deployment/mapHosts.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { allFacts, closeAll, type Survey, type SurveyedHost } from '../../deployment/survey.ts'
import { prepareConnections } from '../../session/connectHost.ts'
import { readStoreSecrets, readUserProvidedStores } from '../../session/readUserProvidedStores.ts'
import type { SelectedCluster } from '../../session/selectTargets.ts'
import { inOrderOf, surveyReadOnly, withShortTimeout } from '../../session/surveyReadOnly.ts'

/** Returns the current certificates of all hosts, in the order of the file. Changes nothing. */
export async function surveyCertificates(
  context: CommandContext,
  config: SelectedCluster,
): Promise<{ readonly state: ClusterState; readonly now: Date; readonly hosts: readonly InspectedHost[] }> {
  await prepareConnections(context, withShortTimeout(config).hosts)
  const files = await readUserProvidedStores(config)
  const stores = { files, ...(await readStoreSecrets(context, config.hosts)) }
  const { state, survey } = await surveyReadOnly(context, config, allFacts)
  const now = context.now()
  const looked = await inspectCertificates(survey, { state, stores, now, forks: context.forks }).finally(() =>
    closeAll(survey),
  )
  if (context.signal.aborted) throw new Interrupted()
  const unreachable = survey.unreachable.map(({ host, failure, unreachable }): InspectedHost => {
    const why = unreachable ? ('unreachable' as const) : ('failed' as const)
    const unreachableHosts = { state: why, detail: failure.message, origin: originOf(host, state) }
    return { host, certificates: unreachableCertificates(host, unreachableHosts) }
  })
  return { state, now, hosts: inOrderOf(config, [...looked, ...unreachable], ({ host }) => host.name) }
}

/** Reads the certificates of the hosts that were reached. Changes nothing. */
export const inspectCertificates = (
  { reached }: Pick<Survey, 'reached'>,
  around: Parameters<typeof expectedCertificate>[1] & { readonly forks: number | undefined },
): Promise<readonly InspectedHost[]> =>
  mapHosts({ items: reached, forks: around.forks, map: (surveyed) => inspectHost(surveyed, around) })

async function inspectHost(
  surveyed: SurveyedHost,
  around: Parameters<typeof expectedCertificate>[1],
): Promise<InspectedHost> {
  const { host, facts } = surveyed
  const expected = expectedCertificate(surveyed, around)
  try {
    const certificates = await hostCertificates({ surveyed, expected, now: around.now })
    return { host, certificates, known: { facts, expected } }
  } catch (error) {
    const { message: detail } = failureOf(error)
    return {
      host,
      certificates: unreachableCertificates(host, { state: 'unreachable', detail, origin: expected.origin }),
    }
  }
}
