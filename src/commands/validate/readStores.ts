import { type RegularFile, readRegularFile } from '../../cli/readRegularFile.ts'
import type { ResolvedCluster } from '../../config/resolve/resolved.ts'
import { isBelow, type SecretPolicy } from '../../secrets/policy.ts'
import { storePath } from './storeUse.ts'

/** Bytes; the largest truststores have a tenth of it. */
const largestStore = 10 * 1024 * 1024

/**
 * Reads every store of this machine that a host uses once, by absolute path. With the policy `safe` only those below
 * a folder of the YAML files.
 */
export async function readStores(
  cluster: ResolvedCluster,
  policy: SecretPolicy,
): Promise<ReadonlyMap<string, RegularFile>> {
  const { directories, fallback } = cluster.paths
  const folders = directories.size === 0 ? [fallback] : [...directories.values()]
  const paths = cluster.hosts.flatMap((host) =>
    (['keystore', 'truststore'] as const).flatMap((kind) => storePath(host, kind, cluster) ?? []),
  )
  const files = new Map<string, RegularFile>()
  for (const path of new Set(paths)) {
    const below = folders.find((folder) => isBelow(path, folder)) ?? fallback
    files.set(
      path,
      await readRegularFile(path, { most: largestStore, ...(policy === 'safe' ? { below } : {}) }),
    )
  }
  return files
}
