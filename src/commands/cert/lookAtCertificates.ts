import { expectedCertificate, originOf } from '../../deployment/certificates/expected.ts'
import { hostCertificates, lostCertificates } from '../../deployment/certificates/hostCertificates.ts'
import type { LookedAt } from '../../deployment/certificates/judgeCertificates.ts'
import { failureOf } from '../../deployment/failure.ts'
import { type ClusterState, emptyState } from '../../deployment/state/clusterState.ts'
import { readState } from '../../deployment/state/openState.ts'
import { closeAll, type SurveyedHost, surveyHosts } from '../../deployment/survey.ts'
import { connectHost, prepareConnections } from '../connectHost.ts'
import type { CommandContext } from '../context.ts'
import { impatient } from '../impatient.ts'
import { Interrupted } from '../interrupted.ts'
import { readOwnStores } from '../readOwnStores.ts'
import { readStoreSecrets } from '../readStoreSecrets.ts'
import type { SelectedCluster } from '../selectTargets.ts'

/** The certificates of all hosts as they are now, in the order of the file; changes nothing. */
export async function lookAtCertificates(
  context: CommandContext,
  config: SelectedCluster,
): Promise<{ readonly state: ClusterState; readonly now: Date; readonly hosts: readonly LookedAt[] }> {
  const patient = impatient(config)
  await prepareConnections(context, patient.hosts)
  const files = await readOwnStores(config)
  const stores = { files, ...(await readStoreSecrets(context, config.hosts)) }
  const opened = await readState({ directory: config.directory, cluster: config.cluster })
  const state = opened?.state ?? emptyState
  const survey = await surveyHosts({
    config: patient,
    connect: (host) => connectHost(context, host),
    // The table tells why a host was lost.
    emit: () => {},
    machines: { recorded: state.machines, replaced: [] },
    clock: () => performance.now(),
  })
  const now = context.now()
  const looked = await Promise.all(
    survey.reached.map((surveyed) => look(surveyed, { state, stores, now })),
  ).finally(() => closeAll(survey))
  if (context.signal.aborted) throw new Interrupted()
  const lost = survey.lost.map(({ host, failure, unreachable }): LookedAt => {
    const why = unreachable ? ('unreachable' as const) : ('failed' as const)
    const told = { state: why, detail: failure.message, origin: originOf(host, state) }
    return { host, certificates: lostCertificates(host, told) }
  })
  const order = config.hosts.map(({ name }) => name)
  const hosts = [...looked, ...lost].sort(
    (one, other) => order.indexOf(one.host.name) - order.indexOf(other.host.name),
  )
  return { state, now, hosts }
}

async function look(
  surveyed: SurveyedHost,
  around: Parameters<typeof expectedCertificate>[1],
): Promise<LookedAt> {
  const { host, facts } = surveyed
  const expected = expectedCertificate(surveyed, around)
  try {
    const certificates = await hostCertificates({ surveyed, expected, now: around.now })
    return { host, certificates, known: { facts, expected } }
  } catch (error) {
    const { message: detail } = failureOf(error)
    return {
      host,
      certificates: lostCertificates(host, { state: 'unreachable', detail, origin: expected.origin }),
    }
  }
}
