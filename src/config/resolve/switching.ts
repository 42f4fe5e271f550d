import { options } from '../settings/options.ts'
import type { ServiceDraft } from '../shape/draft.ts'
import { hasDatabase } from './dataSources.ts'
import { isNamedIn, topologyOf } from './placements.ts'
import type { Resolved, ResolvedHost } from './resolved.ts'

/** Returns the service whose primary the manager of a host can switch; undefined without an account for it. */
export function switchedService(host: ResolvedHost): ServiceDraft | undefined {
  const { user, password } = options.database
  if (!host.components.includes('manager') || !hasDatabase(host)) return undefined
  if (host.option(user).value === undefined || host.option(password).value === undefined) return undefined
  return host.services.find(
    (service) => topologyOf(service) === 'clustered' && isNamedIn(service, 'members', host.name),
  )
}

/** Returns the shortest `connector-max-hold` of a service's connectors; the default where it has none. */
export function shortestHold(service: ServiceDraft, hosts: Iterable<ResolvedHost>) {
  const { maxHold } = options.proxy
  let shortest: { readonly host?: string; readonly hold: number; readonly from?: Resolved<number> } = {
    hold: maxHold.default,
  }
  for (const { name, proxied, option } of hosts) {
    const from = option(maxHold)
    const hold = from.value ?? maxHold.default
    if (!proxied.includes(service)) continue
    if (shortest.from === undefined || hold < shortest.hold) shortest = { host: name, hold, from }
  }
  return shortest
}
