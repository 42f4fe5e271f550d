import { locatedSecret } from '../../config/locatedSecret.ts'
import type { ResolvedCluster } from '../../config/resolve/resolved.ts'
import { secretsOf } from '../../config/secretOptions.ts'
import type { Given } from '../../config/shape/values.ts'
import type { SecretPolicy } from '../../secrets/policy.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import type { CommandContext } from '../context.ts'
import { type SecretReading, secretReader } from '../secretReader.ts'

/** What became of every secret that a host uses, by where it is given. */
export type SecretReadings = ReadonlyMap<Given, SecretReading>

/** Reads every secret that a host uses as far as the policy lets it. Rejects with `Interrupted` alone. */
export async function readSecrets(options: {
  readonly context: CommandContext
  readonly cluster: ResolvedCluster
  readonly policy: SecretPolicy
  /** Milliseconds that a program has. */
  readonly patience?: number
}): Promise<SecretReadings> {
  const { context, cluster } = options
  const references = new Map<Given, SecretReference>()
  for (const host of cluster.hosts) {
    for (const { resolved } of secretsOf(host)) {
      const reference = locatedSecret(resolved, cluster.paths)
      if (resolved.given !== undefined && reference !== undefined) references.set(resolved.given, reference)
    }
  }
  const read = secretReader(context, options)
  const readings = new Map<Given, SecretReading>()
  // Programs last: by then every other secret is known, and shows in nothing that they say.
  const late = ({ kind }: SecretReference): number => (kind === 'exec' ? 1 : 0)
  for (const [given, reference] of [...references].sort(([, a], [, b]) => late(a) - late(b))) {
    readings.set(given, await read(reference))
  }
  return readings
}
