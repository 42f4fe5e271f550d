import { Type } from 'typebox'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/** Roles of a data source: one spelling everywhere (contract.md, "Manager"). */
export const dataSourceRoles = ['primary', 'replica', 'relay', 'standby', 'archive', 'witness'] as const

/** States that a manager brings a data source into and records (contract.md, "Manager"). */
export const recordedStates = ['ONLINE', 'OFFLINE', 'FAILED', 'SHUNNED'] as const

/** States as they are shown: UNKNOWN in place of ONLINE where nobody can check it (contract.md, "Manager"). */
export const dataSourceStates = [...recordedStates, 'UNKNOWN'] as const

export const mapNamePattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$'

/** A name of a service or data source: it stands in paths and in people's shells. */
export const MapName = Type.String({
  pattern: mapNamePattern,
  description: 'Letters, digits, dots, hyphens and underscores; begins with a letter or digit; 253 at most.',
})

/** Role of a data source. */
export const DataSourceRole = Type.Enum([...dataSourceRoles])

const place = {
  name: MapName,
  host: Type.String({
    pattern: '^[A-Za-z0-9:][A-Za-z0-9:._-]{0,252}$',
    description: 'Name or address, an IPv6 address without brackets.',
  }),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  role: DataSourceRole,
}

/** A database server that takes part in a service. */
export const MapDataSource = Type.Object(place, exact)

/** A service and the database servers that take part in it. */
export const MapService = Type.Object({ name: MapName, datasources: Type.Array(MapDataSource) }, exact)

/** Services with their data sources, without states: as installed on a host, or as calls changed it. */
export const ServicesMap = Type.Object({ services: Type.Array(MapService) }, exact)

/** State of a data source. */
export const DataSourceState = Type.Enum([...dataSourceStates], {
  description:
    'ONLINE: the connector may use it. OFFLINE: no connections through the connector. FAILED: its checks ' +
    'failed. SHUNNED: kept out until it is welcomed back. UNKNOWN: it cannot be checked; the connector uses ' +
    'it as if it were ONLINE.',
})

/** A data source of the map with its state now. */
export const DataSourceEntry = Type.Object({ ...place, state: DataSourceState }, exact)

/** A service of the map with the states of its data sources. */
export const ServiceEntry = Type.Object({ name: MapName, datasources: Type.Array(DataSourceEntry) }, exact)

/** The whole map with states, as a component returns it (contract.md, "Connector"). */
export const ServicesMapPayload = Type.Object({ services: Type.Array(ServiceEntry) }, exact)

/** Members of a change that all managers of a service get. */
export const reached = {
  managers: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Hosts whose managers have it now; left out where no other manager was told.',
    }),
  ),
  remarks: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What does not hold, such as a manager that was left out, a connector that is not known to act on the ' +
        'change, or a primary of the map that was not seen to take writes.',
    }),
  ),
}

/** The same, as calls that change it return it. */
export const ChangedServicesMapPayload = Type.Object(
  { services: Type.Array(ServiceEntry), changed: Type.Boolean(), ...reached },
  exact,
)

/** A service to be added. */
export const NewDataService = Type.Object(
  { name: MapName, datasources: Type.Optional(Type.Array(MapDataSource)) },
  exact,
)

/** A data source to be added to a service. */
export const NewDataSource = Type.Object({ service: MapName, ...place }, exact)

/** A service as addDataService returns it. */
export const DataServicePayload = Type.Object(
  { name: MapName, datasources: Type.Array(DataSourceEntry), changed: Type.Boolean(), ...reached },
  exact,
)

/** A data source as addDataSource returns it. */
export const DataSourcePayload = Type.Object(
  { service: MapName, ...place, state: DataSourceState, changed: Type.Boolean(), ...reached },
  exact,
)

export type DataSourceRole = (typeof dataSourceRoles)[number]
export type RecordedState = (typeof recordedStates)[number]
export type DataSourceState = (typeof dataSourceStates)[number]
export type MapDataSource = ReadonlyStatic<typeof MapDataSource>
export type MapService = ReadonlyStatic<typeof MapService>
export type ServicesMap = ReadonlyStatic<typeof ServicesMap>
export type DataSourceEntry = ReadonlyStatic<typeof DataSourceEntry>
export type NewDataService = ReadonlyStatic<typeof NewDataService>
export type NewDataSource = ReadonlyStatic<typeof NewDataSource>
