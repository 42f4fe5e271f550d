import { relative, sep } from 'node:path'
import type { RegisteredCluster, RegisteredHost } from './registry.ts'

/** A host and its cluster. */
export type FoundHost = { readonly cluster: RegisteredCluster; readonly host: RegisteredHost }

/** Result of a search in the cluster records. */
type HostSearch =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'one' } & FoundHost)
  | { readonly kind: 'several'; readonly matches: readonly FoundHost[] }

/** Matches `--cluster`: a name, or the folder of the YAML file. */
export const matchesCluster = (cluster: RegisteredCluster, wanted: string): boolean =>
  cluster.cluster === wanted || cluster.directory === wanted

/**
 * Finds a host by its name (ignoring case) or address, in all clusters or the given one; prefers the cluster
 * of the current folder.
 */
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
    .filter((candidate) => cluster === undefined || matchesCluster(candidate, cluster))
    .flatMap((candidate) =>
      candidate.hosts
        .filter(({ name, address }) => name.toLowerCase() === wanted || address.toLowerCase() === wanted)
        .map((found) => ({ cluster: candidate, host: found })),
    )
  const [first, ...others] = inNearestCluster(matches, ({ cluster }) => cluster, search.cwd)
  if (first === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'one', ...first } : { kind: 'several', matches }
}

/**
 * Selects the matches of the cluster in the current folder, or the nearest one above; all if there is none.
 */
export function inNearestCluster<One>(
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
