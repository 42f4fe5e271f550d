import { isLoopback } from '../../base/address.ts'
import { shortListOf } from '../../base/words.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { apisOf } from '../resolve/configuredListeners.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

/** Returns true if the host has users; an unusable value already has its finding. */
const hasUsers = (host: ResolvedHost): boolean => {
  const { given, value } = host.option(options.users)
  return given !== undefined && value?.length !== 0
}

const openWithoutAdminFinding = finding(
  'open-without-admin',
  (facts: { component: string; address: string; hosts: readonly string[] }) => ({
    message: `The ${facts.component} API of ${shortListOf(facts.hosts)} is open to the network (${facts.address}) and has no administrator.`,
    why: 'An API without users refuses every call but ping, and its first user must be created by hand.',
    fix: 'Add under defaults: rest-api-admin-user: admin',
  }),
)

/** Finds an API that the network can reach on a host without users. */
export function openWithoutAdmin({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const items = hosts
    .filter((host) => host.option(options.adminUser).given === undefined && !hasUsers(host))
    .flatMap((host) =>
      apisOf(host)
        .filter(({ address }) => !isLoopback(address))
        .map(({ address, owner, addressGiven }) => ({
          host: host.name,
          address,
          component: owner,
          span: addressGiven?.span ?? host.span,
        })),
    )
  return groupBySpan(items).map((group) => {
    const [{ address, component, span }] = group
    const facts = { component, address, hosts: group.map(({ host }) => host) }
    return openWithoutAdminFinding(facts, { span })
  })
}
