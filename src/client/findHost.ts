import { relative, sep } from 'node:path'
import type { RegisteredCluster, RegisteredHost } from './registry.ts'

/** A host together with the cluster it belongs to. */
export type FoundHost = { readonly cluster: RegisteredCluster; readonly host: RegisteredHost }

/** What the records say about a host. */
export type HostSearch =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'one' } & FoundHost)
  | { readonly kind: 'several'; readonly matches: readonly FoundHost[] }

/** Whether a cluster is the one that `--cluster` means: by its name, or by the directory of its YAML file. */
export const isCluster = (cluster: RegisteredCluster, wanted: string): boolean =>
  cluster.cluster === wanted || cluster.directory === wanted

/** Looks a host up by its name (in any case) or its address, in all clusters or in the given one; that of the current folder comes first. */
export function findHost(search: {
  readonly clusters: readonly RegisteredCluster[]
  readonly host: string
  readonly cluster?: string
  /** The current folder, absolute. */
  readonly cwd: string
}): HostSearch {
  const { clusters, host, cluster } = search
  const wanted = host.toLowerCase()
  const matches = clusters
    .filter((candidate) => cluster === undefined || isCluster(candidate, cluster))
    .flatMap((candidate) =>
      candidate.hosts
        .filter(({ name, address }) => name.toLowerCase() === wanted || address.toLowerCase() === wanted)
        .map((found) => ({ cluster: candidate, host: found })),
    )
  const [first, ...others] = nearest(matches, ({ cluster }) => cluster, search.cwd)
  if (first === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'one', ...first } : { kind: 'several', matches }
}

/** Those of the cluster whose folder is the current one, or the nearest above it; all where none is. */
export function nearest<One>(
  found: readonly One[],
  clusterOf: (one: One) => RegisteredCluster,
  cwd: string,
): readonly One[] {
  const isAbove = (directory: string): boolean => {
    const way = relative(directory, cwd)
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`))
  }
  const above = found.filter((one) => isAbove(clusterOf(one).directory))
  const longest = Math.max(...above.map((one) => clusterOf(one).directory.length))
  return above.length === 0 ? found : above.filter((one) => clusterOf(one).directory.length === longest)
}
