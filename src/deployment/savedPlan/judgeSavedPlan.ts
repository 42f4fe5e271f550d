import { shortListOf } from '../../base/words.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import { configurationDigest, servicesDigest } from './digests.ts'
import type { SavedPlan } from './savedPlan.ts'

/** Why a plan cannot be carried out by this muster with this file, in one sentence; undefined when it can. */
export function planIsOfAnother(
  plan: SavedPlan,
  { config, version }: { readonly config: ClusterConfig; readonly version: string },
): string | undefined {
  if (plan.cluster !== config.cluster)
    return `is of the cluster ${plan.cluster}, the file of ${config.cluster}`
  if (plan.muster !== version) return `was made by muster ${plan.muster}, and this is muster ${version}`
  const names = config.hosts.map(({ name }) => name)
  const gone = plan.hosts.map(({ host }) => host).filter((host) => !names.includes(host))
  if (gone.length > 0) return `is for ${shortListOf(gone)}, which the file has no longer`
  const known = [...plan.left, ...plan.hosts.map(({ host }) => host)]
  const added = names.filter((name) => !known.includes(name))
  if (added.length > 0) return `knows nothing of ${shortListOf(added)}, which the file has now`
  const other = config.hosts.filter((host) => givesOther(plan, config, host)).map(({ name }) => name)
  if (other.length > 0) return `was made when the file gave ${shortListOf(other)} something else`
  return plan.services === servicesDigest(config)
    ? undefined
    : 'was made when the services of the file were others'
}

function givesOther(plan: SavedPlan, config: ClusterConfig, host: HostConfig): boolean {
  const planned = plan.hosts.find((one) => one.host === host.name)
  return planned !== undefined && planned.configuration !== configurationDigest(config, host)
}

/** Options whose secret is another than when the plan was made, each with its hosts; undefined when none is. */
export function changedSecrets(
  plan: SavedPlan,
  marks: ReadonlyMap<string, Readonly<Record<string, string>>>,
): string | undefined {
  const changed = new Map<string, string[]>()
  for (const { host, secrets } of plan.hosts) {
    const now = marks.get(host) ?? {}
    for (const option of new Set([...Object.keys(secrets), ...Object.keys(now)])) {
      if (secrets[option] !== now[option]) changed.set(option, [...(changed.get(option) ?? []), host])
    }
  }
  if (changed.size === 0) return undefined
  return [...changed].map(([option, hosts]) => `${option} of ${shortListOf(hosts)}`).join('; ')
}
