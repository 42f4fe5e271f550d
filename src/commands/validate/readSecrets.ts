import type { SecretReading, secretReader } from '../../cli/secretReader.ts'
import { locatedSecret } from '../../config/locatedSecret.ts'
import type { ResolvedCluster } from '../../config/resolve/resolved.ts'
import { secretsOf } from '../../config/secretOptions.ts'
import type { Given } from '../../config/settings/setting.ts'
import type { SecretReference } from '../../secrets/reference.ts'

/** What became of every secret that a host uses, by where it is given. */
export type SecretReadings = ReadonlyMap<Given, SecretReading>

/** Reads every secret that a host uses, as far as the reader's policy lets it. Rejects with `Interrupted` alone. */
export async function readSecrets(options: {
  readonly cluster: ResolvedCluster
  readonly read: ReturnType<typeof secretReader>
  /** Leaves the others unread; absent: all are read. */
  readonly wanted?: (reference: SecretReference) => boolean
}): Promise<SecretReadings> {
  const { cluster, read, wanted = () => true } = options
  const references = new Map<Given, SecretReference>()
  for (const host of cluster.hosts) {
    for (const { resolved } of secretsOf(host)) {
      const reference = locatedSecret(resolved, cluster.paths)
      if (resolved.given === undefined || reference === undefined || !wanted(reference)) continue
      references.set(resolved.given, reference)
    }
  }
  const readings = new Map<Given, SecretReading>()
  // Programs last: by then every other secret is known, and shows in nothing that they say.
  const late = ({ kind }: SecretReference): number => (kind === 'exec' ? 1 : 0)
  for (const [given, reference] of [...references].sort(([, a], [, b]) => late(a) - late(b))) {
    readings.set(given, await read(reference))
  }
  return readings
}
