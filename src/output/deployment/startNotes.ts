import type { ClusterPicture } from '../../contracts/clusterPicture.ts'
import type { HostFacts } from '../../deployment/facts/hostFacts.ts'
import { problemAfterStart } from '../../deployment/preflight/readOnlyCheck.ts'
import type { SurveyedHost } from '../../deployment/survey.ts'

/** Names the hosts whose databases start with another role than they have. */
export const startNotes = (
  reached: readonly Pick<SurveyedHost<HostFacts>, 'host' | 'facts'>[],
  { datasources }: Pick<ClusterPicture, 'datasources'>,
): readonly string[] =>
  reached.flatMap(({ host, facts }) => {
    const { configuredReadOnly: configured } = facts
    const own = datasources.find(({ name }) => name === host.name)
    if (configured === undefined || own === undefined || own.state === 'UNKNOWN') return []
    if (own.role === 'witness') return []
    const role = own.role === 'primary' ? 'primary' : 'replica'
    // It comes back as what it is; that it may have another role then is for check to say.
    if (role === 'primary' && !configured.isReadOnly) return []
    const problem = problemAfterStart({ host, configured, role })
    return problem === undefined ? [] : [`${host.name}: ${problem.reason}. ${problem.fix}`]
  })
