import { Type } from 'typebox'
import { exact, orNull, type ReadonlyStatic } from './schemaParts.ts'
import { DataSourceEntry, MapName } from './servicesMap.ts'

/** Contradictions between the servers of a service, as stable codes (contract.md, "Manager"). */
export const reasonCodes = [
  'writable-replica',
  'read-only-primary',
  'follows-other',
  'two-writers',
  'no-writer',
  'errant-transactions',
  'partial-replica',
  'not-replicating',
  'unknown-server',
] as const

/** Code of a contradiction. */
export const ReasonCode = Type.Enum([...reasonCodes])

/** The one data source of a service that clients may write to, or why there is none. */
export const Writer = Type.Object(
  {
    datasource: orNull(MapName, 'Clients write to it; null while there is none.'),
    code: orNull(ReasonCode, 'The contradiction that keeps clients from writing; null without one.'),
    reason: orNull(Type.String(), 'Why clients cannot write, in words; null while they can.'),
    hold: Type.Boolean({
      description:
        'Whether clients wait for a writer, at most `connector-max-hold`, instead of being refused.',
    }),
    switching: Type.Optional(
      Type.Object(
        { from: MapName, to: MapName },
        { ...exact, description: 'The switch that clients wait for; left out where none is under way.' },
      ),
    ),
  },
  exact,
)

/** A data source as connections are routed to it: its role is the one that its server has. */
export const RoutedDataSource = Type.Object(
  {
    ...DataSourceEntry.properties,
    readable: Type.Boolean({ description: 'Whether it takes connections of the read-only port.' }),
    proxyNetworks: Type.Optional(
      Type.String({
        description: 'Networks from which its server takes the PROXY protocol; left out for none.',
      }),
    ),
  },
  exact,
)

/** The services of a manager as connectors route by them. */
export const RoutingPayload = Type.Object(
  {
    services: Type.Array(
      Type.Object({ name: MapName, writer: Writer, datasources: Type.Array(RoutedDataSource) }, exact),
    ),
  },
  exact,
)

export type ReasonCode = (typeof reasonCodes)[number]
export type Writer = ReadonlyStatic<typeof Writer>
export type RoutedDataSource = ReadonlyStatic<typeof RoutedDataSource>
/** Content of a `RoutingPayload`. */
export type Routing = ReadonlyStatic<typeof RoutingPayload>
/** Writer and data sources of one service. */
export type RoutedService = Routing['services'][number]
