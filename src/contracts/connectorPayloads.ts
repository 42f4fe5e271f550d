import { Type } from 'typebox'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/** Modes of a connector for new connections (contract.md, "Connector"). */
export const connectorModes = ['ONLINE', 'ONHOLD', 'OFFLINE'] as const

const status = {
  value: Type.Enum([...connectorModes], {
    description:
      'ONLINE: accepts and forwards. ONHOLD: accepts and holds new connections without dialling the database; ' +
      'existing ones run on. OFFLINE: refuses new connections; existing ones drain.',
  }),
  since: Type.String({ format: 'date-time', description: 'When it came into this state.' }),
  by: Type.String({
    description: 'API user who changed it, `socket` for a local caller, else `installation`.',
  }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'What keeps it from forwarding, or what it has to do without; null when nothing does.',
  }),
  active: Type.Integer({ minimum: 0, description: 'Client connections that are forwarded now.' }),
  held: Type.Integer({ minimum: 0, description: 'Client connections that wait.' }),
  created: Type.Integer({
    minimum: 0,
    description: 'Client connections forwarded since the process started.',
  }),
  expiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When the client that waits longest is answered with an error; null while none waits.',
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

export type ConnectorMode = (typeof connectorModes)[number]
export type ConnectorStatusPayload = ReadonlyStatic<typeof ConnectorStatusPayload>
