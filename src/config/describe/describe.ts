import type { ResolvedCluster } from '../resolve/resolved.ts'
import { file } from '../settings/places.ts'
import { valueFor } from '../shape/values.ts'
import { describeHost } from './describeHost.ts'
import type { Description } from './description.ts'
import { literalTexts } from './literalTexts.ts'

/** What the files come to: every host with each value that applies to it, and where the value came from. */
export function describe(cluster: ResolvedCluster): Description {
  const secrets = literalTexts(cluster)
  return {
    cluster: valueFor(cluster.draft.fields, file.cluster) ?? '',
    hosts: cluster.hosts.map((host) => describeHost(host, secrets)),
  }
}
