import { Type } from 'typebox'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/** Modes of a connector for new connections (contract.md, "Connector"). */
export const connectorModes = ['ONLINE', 'ONHOLD', 'OFFLINE'] as const

const status = {
  value: Type.Enum([...connectorModes], {
    description:
      'ONLINE: accepts and forwards connections. ONHOLD: accepts new connections and holds them without a ' +
      'connection to the database; existing ones continue. OFFLINE: refuses new connections; existing ones drain.',
  }),
  since: Type.String({ format: 'date-time', description: 'When this state began.' }),
  by: Type.String({
    description: 'API user who set it, `socket` for a local caller, else `installation`.',
  }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it cannot forward, or what it does not have; null if there is no problem.',
  }),
  active: Type.Integer({ minimum: 0, description: 'Client connections that it forwards now.' }),
  held: Type.Integer({ minimum: 0, description: 'Client connections that are waiting.' }),
  created: Type.Integer({
    minimum: 0,
    description: 'Client connections forwarded since the process started.',
  }),
  expiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When the longest-waiting client gets an error; null while no client waits.',
  }),
  datasources: Type.Array(
    Type.Object(
      {
        service: Type.String(),
        name: Type.String(),
        active: Type.Integer({ minimum: 0 }),
        created: Type.Integer({ minimum: 0 }),
      },
      exact,
    ),
    { description: 'Connections by data source of the map in effect.' },
  ),
}

/** State of the connector. */
export const ConnectorStatusPayload = Type.Object(status, exact)

/** The same, as calls that change it return it. */
export const ChangedConnectorStatusPayload = Type.Object({ ...status, changed: Type.Boolean() }, exact)

/** The members of a connector that the views of a whole cluster show. */
export const ShownConnector = Type.Pick(ConnectorStatusPayload, [
  ...(['value', 'reason', 'active', 'held', 'created'] as const),
])

export type ConnectorMode = (typeof connectorModes)[number]
export type ShownConnector = ReadonlyStatic<typeof ShownConnector>
export type ConnectorStatusPayload = ReadonlyStatic<typeof ConnectorStatusPayload>
