import type { AccessLevel } from '../../contracts/accessLevels.ts'
import type { ClusterUsers } from '../../contracts/dashboard.ts'

/** Hosts that all have the same users at the same levels. */
type HostGroup = {
  readonly hosts: readonly string[]
  /** In the order of the users; null where these hosts have no such user. */
  readonly access: readonly (AccessLevel | null)[]
}

/** Puts hosts with the same users together, the largest group first: the others differ from it. */
export function groupHosts({ hosts, users }: ClusterUsers): readonly HostGroup[] {
  const groups = new Map<
    string,
    { readonly hosts: string[]; readonly access: readonly (AccessLevel | null)[] }
  >()
  for (const [index, host] of hosts.entries()) {
    const access = users.map((user) => user.access[index] ?? null)
    const key = access.join()
    const found = groups.get(key)
    if (found === undefined) groups.set(key, { hosts: [host], access })
    else found.hosts.push(host)
  }
  return [...groups.values()].sort((one, other) => other.hosts.length - one.hosts.length)
}
