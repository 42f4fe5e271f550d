import { type VerdictLevel, verdictLevels } from '../../contracts/clusterPicture.ts'
import { coarseNow } from '../state/clock.ts'
import type { ClusterState } from '../state/clusters.ts'
import { daysText, daysUntil } from '../text/times.ts'
import { byName, shown } from '../text/words.ts'

/** Orders clusters by their verdicts, the worst first, and then by name. */
export const worstFirst = (
  clusters: readonly { readonly name: string; readonly level: VerdictLevel }[],
): readonly string[] =>
  [...clusters]
    .sort(
      (one, other) =>
        verdictLevels.indexOf(one.level) - verdictLevels.indexOf(other.level) || byName(one.name, other.name),
    )
    .map(({ name }) => name)

/** Returns the few figures of a cluster that are worth a line in the list of all. */
export function clusterFacts(cluster: ClusterState): readonly (readonly [term: string, value: string])[] {
  const hosts = cluster.hosts.all()
  const datasources = cluster.datasources.all()
  const up = hosts.filter(({ state }) => state === 'up').length
  const online = datasources.filter(({ state }) => state === 'ONLINE').length
  const writers = cluster.services.all().map(({ writer }) => writer?.datasource ?? 'none')
  const lags = datasources.flatMap(({ appliedLatency }) => appliedLatency ?? [])
  const ends = hosts.flatMap(({ certificateExpires }) =>
    certificateExpires === null ? [] : [certificateExpires],
  )
  const days = ends.map((end) => daysUntil(end, coarseNow.value))
  const releases = [...new Set(hosts.flatMap(({ release }) => (release === null ? [] : [release])))]
  return [
    ['hosts up', `${up} of ${hosts.length}`],
    ...(datasources.length === 0
      ? []
      : ([
          ['data sources online', `${online} of ${datasources.length}`],
          [writers.length === 1 ? 'writer' : 'writers', shown(writers.sort(byName).join(', '))],
        ] as const)),
    ...(lags.length === 0 ? [] : ([['highest lag', `${Math.max(...lags)} s`]] as const)),
    ...(days.length === 0 ? [] : ([['first certificate', daysText(Math.min(...days))]] as const)),
    ...(releases.length === 0
      ? []
      : ([
          ['release', shown(releases.length === 1 ? (releases[0] ?? '') : `${releases.length} different`)],
        ] as const)),
  ]
}
