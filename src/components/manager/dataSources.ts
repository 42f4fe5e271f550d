import type { MapDataSource, ServicesMap } from '../../contracts/servicesMap.ts'

/** A data source and the service that it takes part in. */
export type DataSource = MapDataSource & { readonly service: string }

/** Which data source is meant. */
export type DataSourceKey = { readonly service: string; readonly name: string }

/** One text for each data source: names hold no slash. */
export const keyOf = ({ service, name }: DataSourceKey): string => `${service}/${name}`

/** Every data source of the map. */
export const sourcesOf = ({ services }: ServicesMap): readonly DataSource[] =>
  services.flatMap(({ name: service, datasources }) => datasources.map((it) => ({ ...it, service })))

/** Returns the key of a server: several services may name the same one. */
export const serverOf = ({ host, port }: Pick<MapDataSource, 'host' | 'port'>): string => `${host} ${port}`

/** One text for each data source at its address: what is known of it holds for no other address. */
export const addressOf = (source: Pick<DataSource, 'service' | 'name' | 'host' | 'port'>): string =>
  `${keyOf(source)} ${serverOf(source)}`
