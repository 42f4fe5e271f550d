import type { ClusterPicture, PictureConnector, PictureDataSource } from '../../contracts/clusterPicture.ts'

/** A data source, and those that replicate from it. */
export type TopologySource = {
  readonly source: PictureDataSource
  readonly followers: readonly TopologySource[]
}

/** A connector and the host that it runs on. */
type TopologyConnector = { readonly host: string } & Omit<PictureConnector, 'clients'> & {
    readonly clients: NonNullable<PictureConnector['clients']>
  }

/** A service with its data sources as trees: each stands below the one that it follows. */
export type TopologyService = {
  readonly name: string
  readonly writer: string | null
  readonly roots: readonly TopologySource[]
  readonly connectors: readonly TopologyConnector[]
}

/** The topology of a cluster; `isLive`: its hosts told states, lags and clients. */
export type Topology = {
  readonly name: string
  readonly isLive: boolean
  readonly services: readonly TopologyService[]
  /** Hosts without a data source and without a connector for clients. */
  readonly others: readonly string[]
}

/** Orders a picture by who follows whom. Data sources that follow each other in a circle are all roots. */
export function topologyOf(picture: ClusterPicture, isLive: boolean): Topology {
  const connectors = picture.hosts.flatMap(({ name: host, connector }): readonly TopologyConnector[] => {
    const clients = connector?.clients ?? null
    return connector === null || clients === null ? [] : [{ ...connector, clients, host }]
  })
  const services = picture.services.map(({ name, writer }) => ({
    name,
    writer: writer?.datasource ?? null,
    roots: rootsOf(picture.datasources.filter(({ service }) => service === name)),
    connectors: connectors.filter(({ clients }) => clients.service === name),
  }))
  const shown = new Set([
    ...picture.datasources.map(({ name }) => name),
    ...services.flatMap((service) => service.connectors.map(({ host }) => host)),
  ])
  const others = picture.hosts.map(({ name }) => name).filter((name) => !shown.has(name))
  return { name: picture.name, isLive, services, others }
}

function rootsOf(sources: readonly PictureDataSource[]): readonly TopologySource[] {
  const byName = new Map(sources.map((source) => [source.name, source]))
  const leaderOf = ({ follows }: PictureDataSource) => (follows === null ? undefined : byName.get(follows))
  const isInCircle = (source: PictureDataSource): boolean => {
    const passed = new Set<PictureDataSource>()
    for (let at = leaderOf(source); at !== undefined && !passed.has(at); at = leaderOf(at)) {
      if (at === source) return true
      passed.add(at)
    }
    return false
  }
  const isRoot = (source: PictureDataSource) => leaderOf(source) === undefined || isInCircle(source)
  const treeOf = (source: PictureDataSource): TopologySource => ({
    source,
    followers: sources.filter((one) => !isRoot(one) && leaderOf(one) === source).map(treeOf),
  })
  // The primary first.
  const roots = sources.filter(isRoot)
  return [...roots.filter(isPrimary), ...roots.filter((one) => !isPrimary(one))].map(treeOf)
}

const isPrimary = ({ role }: PictureDataSource): boolean => role === 'primary'

/** Returns what is known of a data source beside its name: `replica ONLINE, 3 s behind`. */
export function sourceWords(
  { role, state, appliedLatency, follows }: PictureDataSource,
  isLive: boolean,
): string {
  if (!isLive) return role
  const behind = appliedLatency === null || follows === null ? '' : `, ${appliedLatency} s behind`
  return `${role} ${state}${behind}`
}

/** Returns the state of a connector and its clients: `ONLINE, 12 clients, 3 held`. */
export const connectorWords = ({ value, active, held }: TopologyConnector): string =>
  `${value}, ${active} ${active === 1 ? 'client' : 'clients'}${held === 0 ? '' : `, ${held} held`}`
