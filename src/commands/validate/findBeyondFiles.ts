import type { CommandContext } from '../../cli/context.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { secretReader } from '../../cli/secretReader.ts'
import type { ResolvedCluster } from '../../config/resolve/resolved.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import type { SecretPolicy } from '../../secrets/policy.ts'
import { readSecrets, secretFindings } from '../../session/secretFindings.ts'
import { hookFindings } from './hookFindings.ts'
import { readStores } from './storeUse.ts'
import { trackedSecrets } from './trackedSecrets.ts'

/**
 * Finds what the files alone do not show: secrets from elsewhere that are unreadable or weak, wrong contents of
 * keystores and truststores, secrets that git tracks, and programs of hooks that cannot be run. Rejects only with `Interrupted`.
 */
export async function findBeyondFiles(options: {
  readonly context: CommandContext
  readonly cluster: ResolvedCluster
  readonly policy: SecretPolicy
  /** Milliseconds that a program which gives a secret has. */
  readonly timeout?: number
}): Promise<readonly Diagnostic[]> {
  const { context, cluster, policy } = options
  const readings = await readSecrets({ cluster, read: secretReader(context, options) })
  const files = await readStores(cluster, policy)
  const tracked = await trackedSecrets(cluster.drafts, context)
  if (context.signal.aborted) throw new Interrupted()
  const secrets = secretFindings({ cluster, readings, policy })
  const beyond = [...secrets, ...tracked, ...hookFindings(cluster, options)]
  if (files.size === 0) return beyond
  // Certificates are much to load, and most files leave them to muster.
  const { storeFindings } = await import('./storeFindings.ts')
  return [...beyond, ...storeFindings({ cluster, readings, files, now: context.now() })]
}
