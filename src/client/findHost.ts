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

/** Looks a host up by its name (in any case) or its address, in all clusters or in the given one. */
export function findHost(search: {
  readonly clusters: readonly RegisteredCluster[]
  readonly host: string
  readonly cluster?: string
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
  const [first, ...others] = matches
  if (first === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'one', ...first } : { kind: 'several', matches }
}
