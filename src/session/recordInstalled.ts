import type { CommandContext } from '../cli/context.ts'
import {
  findClusterRecord,
  registryDirectory,
  removeCluster,
  writeClusterRecord,
} from '../client/registry.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { HostFacts } from '../deployment/facts/hostFacts.ts'
import { parseManifest } from '../deployment/manifest.ts'
import { registration } from '../deployment/registration.ts'
import {
  type ClusterState,
  trustedAuthorities,
  untrustedAuthorities,
} from '../deployment/state/clusterState.ts'
import type { SurveyedHost } from '../deployment/survey.ts'

/** Names of hosts with and without an installation. */
type InstalledHosts = { readonly installed: readonly string[]; readonly gone: readonly string[] }

/**
 * Adds hosts with an installation to tapi's registry, and removes those without. Trusted authorities come from the
 * operator's state and stores, never from a host. A record that cannot be written is only a warning.
 */
export async function recordInstalled(options: {
  readonly context: CommandContext
  readonly config: ClusterConfig
  readonly state: ClusterState
  readonly seen: InstalledHosts
  /** PEM certificates of the authorities of stores that the operator keeps. */
  readonly outside?: readonly string[]
}): Promise<void> {
  const { context, config, state, seen, outside = [] } = options
  const { cluster, directory } = config
  const dir = registryDirectory(context.env)
  try {
    const before = await findClusterRecord({ dir, cluster, directory })
    const authorities = [...trustedAuthorities(state), ...outside]
    const made = registration(config, [{ authorities }], before, untrustedAuthorities(state))
    const known = before?.hosts ?? []
    const hosts = [
      ...known.filter(({ name }) => !seen.gone.includes(name)),
      ...made.hosts.filter(
        ({ name }) => seen.installed.includes(name) && !known.some((host) => host.name === name),
      ),
    ]
    if (hosts.length > 0 && made.authorities.length > 0)
      await writeClusterRecord({ dir, cluster: { ...made, hosts } })
    else if (before !== undefined && hosts.length === 0) await removeCluster({ dir, cluster, directory })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    context.stderr.write(
      `warning: the record of ${cluster} for tapi in ${dir} cannot be written: ${error.code}\n`,
    )
  }
}

/** Sorts surveyed hosts by whether this cluster is installed there. */
export function installedHosts(
  cluster: string,
  surveyed: readonly SurveyedHost<HostFacts>[],
): InstalledHosts {
  const isInstalled = ({ facts: { installation } }: SurveyedHost<HostFacts>): boolean =>
    installation.currentRelease !== undefined &&
    parseManifest(installation.manifest ?? '')?.cluster === cluster
  const names = (hosts: readonly SurveyedHost<HostFacts>[]): string[] => hosts.map(({ host }) => host.name)
  const others = surveyed.filter((one) => !isInstalled(one))
  return {
    installed: names(surveyed.filter(isInstalled)),
    // One that moved to another folder still runs in the one before.
    gone: names(others.filter(({ facts }) => facts.installation.before === undefined)),
  }
}
