import type { ResolvedCluster } from '../../config/resolve/resolved.ts'
import { type RegularFile, readRegularFile } from '../readRegularFile.ts'
import { storePath } from './storeUse.ts'

/** Bytes; the largest truststores have a tenth of it. */
const largestStore = 10 * 1024 * 1024

/** Every store of this machine that a host uses, by its absolute path; each is read once. */
export async function readStores(cluster: ResolvedCluster): Promise<ReadonlyMap<string, RegularFile>> {
  const paths = cluster.hosts.flatMap((host) =>
    (['keystore', 'truststore'] as const).flatMap((kind) => storePath(host, kind, cluster) ?? []),
  )
  const files = new Map<string, RegularFile>()
  for (const path of new Set(paths)) files.set(path, await readRegularFile(path, { most: largestStore }))
  return files
}
