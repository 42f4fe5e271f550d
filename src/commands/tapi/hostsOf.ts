import { UsageError } from '../../cli/usageError.ts'
import { isCluster, nearest } from '../../client/findHost.ts'
import type { RegisteredCluster, RegisteredHost } from '../../client/registry.ts'
import type { Component } from '../../contracts/component.ts'
import { howToRecord, listed, oneOf, rowOf } from './chooseTarget.ts'
import type { WrittenOptions } from './options.ts'

/** Hosts of one cluster that a call is to be repeated on. */
export type ChosenHosts = { readonly cluster: RegisteredCluster; readonly hosts: readonly RegisteredHost[] }

/**
 * The hosts that `--all` means: those of the one recorded cluster, of that of the current folder, or of --cluster, that have such an API. Throws
 * a `UsageError` where that is nobody or not clear.
 */
export function hostsOf(choice: {
  readonly written: WrittenOptions
  readonly clusters: readonly RegisteredCluster[]
  /** What the command has to do with; any component unless given. */
  readonly among?: readonly Component[] | undefined
  /** The current folder, absolute. */
  readonly cwd: string
}): ChosenHosts {
  const { written, clusters, among } = choice
  const contrary = (['host', 'port'] as const).find((name) => written[name] !== undefined)
  if (contrary !== undefined) {
    throw new UsageError(
      `--all and --${contrary} exclude each other.`,
      '--all uses the recorded hosts and ports; choose the cluster with --cluster.',
    )
  }
  const wanted = written.cluster
  const matching = nearest(
    clusters.filter((one) => wanted === undefined || isCluster(one, wanted)),
    (one) => one,
    choice.cwd,
  )
  const [cluster, ...others] = matching
  if (cluster === undefined) {
    throw new UsageError(
      wanted === undefined
        ? 'There is no record of a cluster.'
        : `There is no record of a cluster ${wanted}.`,
      `${howToRecord}; without a record call one host with --host.`,
    )
  }
  if (others.length > 0) {
    throw new UsageError(
      `--all matches ${matching.length} clusters:${listed(matching.map(rowOf))}`,
      `Call from the folder of the cluster, or say which one is meant, for example with ${oneOf(matching)}.`,
    )
  }
  const kinds = written.component === undefined ? among : [written.component]
  const hosts = cluster.hosts.filter(({ apis }) =>
    apis.some(({ component }) => kinds?.includes(component) ?? true),
  )
  if (hosts.length > 0) return { cluster, hosts }
  throw new UsageError(
    `No host of cluster ${cluster.cluster} has ${kinds === undefined ? 'an open API' : `the API of a ${kinds.join(' or ')}`}.`,
    'Switch the API on in the YAML file and run `muster install`.',
  )
}
