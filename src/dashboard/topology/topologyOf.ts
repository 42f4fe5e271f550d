import type { PictureDataSource, PictureHost, PictureService } from '../../contracts/clusterPicture.ts'
import { dataSourceKey } from '../state/clusters.ts'
import { byName, count, listText, shown } from '../text/words.ts'
import type { Topology } from './placement.ts'

type Parts = {
  readonly service: PictureService
  readonly datasources: readonly PictureDataSource[]
  readonly hosts: readonly PictureHost[]
}

/** Returns the data sources of a service: the writer, other primaries, then the rest, by name. */
export function orderedDataSources({
  service,
  datasources,
}: Pick<Parts, 'service' | 'datasources'>): readonly PictureDataSource[] {
  const rank = (it: PictureDataSource): number => {
    if (it.name === service.writer?.datasource) return 0
    return it.role === 'primary' ? 1 : 2
  }
  return datasources
    .filter((it) => it.service === service.name)
    .sort((one, other) => rank(one) - rank(other) || byName(one.name, other.name))
}

/** Hosts whose connector takes clients of a service. */
export const connectorHosts = ({
  service,
  hosts,
}: Pick<Parts, 'service' | 'hosts'>): readonly PictureHost[] =>
  hosts
    .filter(
      ({ connector }) => connector !== null && (connector.clients?.service ?? service.name) === service.name,
    )
    .sort((one, other) => byName(one.name, other.name))

export function topologyOf(parts: Parts): Topology {
  const { service } = parts
  return {
    datasources: orderedDataSources(parts).map(({ name, role, follows }) => ({
      key: dataSourceKey(service.name, name),
      name,
      isPrimary: role === 'primary' || name === service.writer?.datasource,
      follows: follows === null ? null : dataSourceKey(service.name, follows),
    })),
    connectors: connectorHosts(parts).map(({ name }) => name),
    writer:
      service.writer === null || service.writer.datasource === null
        ? null
        : dataSourceKey(service.name, service.writer.datasource),
  }
}

/** Describes the picture for those who do not see it: who writes, who follows whom, which connectors lead there. */
export function topologyText(service: string, { datasources, connectors, writer }: Topology): string {
  const names = new Map(datasources.map(({ key, name }) => [key, name]))
  const followers = new Map<string, string[]>()
  for (const { name, follows } of datasources) {
    const source = follows === null ? undefined : names.get(follows)
    if (source !== undefined) followers.set(source, [...(followers.get(source) ?? []), name])
  }
  const alone = datasources.filter(({ follows, isPrimary }) => follows === null && !isPrimary)
  const primary = writer === null ? undefined : names.get(writer)
  const sentences = [
    primary === undefined ? `${service} has no writer` : `${primary} is the primary of ${service}`,
    ...[...followers].map(
      ([source, all]) => `${some(all)} ${all.length === 1 ? 'follows' : 'follow'} ${source}`,
    ),
    ...(alone.length === 0
      ? []
      : [`${some(alone.map(({ name }) => name))} ${alone.length === 1 ? 'follows' : 'follow'} nobody`]),
    connectors.length === 0
      ? 'no connector'
      : `clients come through ${count(connectors.length, 'connector')}: ${some(connectors)}`,
  ]
  return shown(`${sentences.join('; ')}.`)
}

/** Names a few, and counts many. */
const some = (names: readonly string[]): string =>
  names.length > 8 ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more` : listText(names)
