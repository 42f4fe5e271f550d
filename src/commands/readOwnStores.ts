import { readFile } from 'node:fs/promises'
import type { ClusterConfig } from '../config/model.ts'

/** Contents of the stores that the file names on this machine; one that cannot be read is left out. */
export async function readOwnStores(config: ClusterConfig): Promise<ReadonlyMap<string, Buffer>> {
  const paths = config.hosts
    .flatMap(({ tls }) => [tls.keystorePath, tls.truststorePath])
    .filter((path) => path !== undefined && !path.startsWith('host:'))
  const files = new Map<string, Buffer>()
  for (const path of new Set(paths)) {
    const content = path === undefined ? undefined : await readFile(path).catch(() => undefined)
    if (path !== undefined && content !== undefined) files.set(path, content)
  }
  return files
}
