import { Value } from 'typebox/value'
import { get } from '../../client/calls.ts'
import { ClientError } from '../../client/clientError.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import { connectorRoutes } from '../../contracts/connectorRoutes.ts'

/** Asks the connector of this host how it is; null where there is none and while it does not answer. */
export type AskConnector = () => Promise<ConnectorStatusPayload | null>

/** Milliseconds: an answer of the manager waits for it. */
const limit = 500

/** Asks at the connector's Unix socket. */
export const askConnectorAt =
  (socket: string): AskConnector =>
  async () => {
    try {
      const caller = { endpoint: { kind: 'socket', path: socket }, timeout: limit } as const
      const outcome = await get(caller, connectorRoutes.connectorStatus.path)
      if ('problem' in outcome) return null
      const payload = readEnvelope(outcome.value)?.payload
      return Value.Check(ConnectorStatusPayload, payload) ? payload : null
    } catch (error) {
      if (error instanceof ClientError) return null
      throw error
    }
  }
