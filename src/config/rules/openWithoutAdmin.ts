import { isLoopback } from '../../base/address.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { apisOf } from '../resolve/configuredListeners.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

/** Returns true if the host has users; an unusable value already has its finding. */
const hasUsers = (host: ResolvedHost): boolean => {
  const { given, value } = host.option(options.users)
  return given !== undefined && value?.length !== 0
}

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
    return diagnose('open-without-admin', facts, { span })
  })
}
