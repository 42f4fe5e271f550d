import { options } from '../settings/options.ts'
import type { Draft, ServiceDraft } from '../shape/draft.ts'
import { hasDatabase, memberNames } from './dataSources.ts'
import type { ResolvedHost } from './resolved.ts'
import { isNamedIn, topologyOf } from './topology.ts'

type Unproxied = Omit<ResolvedHost, 'proxied'>

const hasConnector = (service: ServiceDraft, host: string): boolean =>
  topologyOf(service) === 'clustered' && isNamedIn(service, 'connectors', host)

const givesPort = ({ option }: Unproxied): boolean =>
  [options.applicationPort, options.applicationReadonlyPort].some((port) => option(port).given !== undefined)

/** The hosts, each with the services whose clients its connector takes. */
export function withProxied(draft: Draft, hosts: readonly Unproxied[]): readonly ResolvedHost[] {
  const databases = new Set(hosts.filter(hasDatabase).map(({ name }) => name))
  const rich = new Set(
    [...draft.services.values()].filter((service) =>
      memberNames(service).some((name) => databases.has(name)),
    ),
  )
  return hosts.map((host) => {
    const own = host.services.filter((service) => hasConnector(service, host.name))
    const withDatabases = own.filter((service) => rich.has(service))
    const proxied = withDatabases.length === 0 && givesPort(host) ? own : withDatabases
    return { ...host, proxied }
  })
}
