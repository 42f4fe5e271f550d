import { canonicalAddress } from '../../base/address.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'

/** Names that are looked up on one host at most: a file of a thousand hosts must not flood the name servers. */
const most = 64

export const isName = (text: string): boolean => canonicalAddress(text) === undefined && text !== 'localhost'

/** Names that the components of a host dial: those of the data sources, and of the host's own database. */
export function dialledNames(config: ClusterConfig, host: HostConfig): readonly string[] {
  const sources = config.services.flatMap(({ datasources }) => datasources.map((source) => source.host))
  return [...new Set([...sources, ...(host.database === undefined ? [] : [host.database.host])])].filter(
    isName,
  )
}

/** Names of hosts that the file reaches at an IP address: what such a name means on a host should be the same. */
export const addressedNames = (config: ClusterConfig): ReadonlyMap<string, string> =>
  new Map(
    config.hosts.flatMap(({ name, address }) =>
      isName(name) && !isName(address) ? [[name, address] as const] : [],
    ),
  )

/** The names that are looked up on a host, those that are dialled first. */
export const namesAsked = (config: ClusterConfig, host: HostConfig): readonly string[] =>
  [...new Set([...dialledNames(config, host), ...addressedNames(config).keys()])].slice(0, most)
