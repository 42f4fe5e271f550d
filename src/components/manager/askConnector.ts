import { Value } from 'typebox/value'
import { send } from '../../client/calls.ts'
import { ClientError } from '../../client/clientError.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import { connectorRoutes } from '../../contracts/connectorRoutes.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import { callOf } from '../../contracts/routeCall.ts'

/** Reads the status of this host's connector; null where there is none and while it does not answer. */
export type AskConnector = () => Promise<ConnectorStatusPayload | null>

/**
 * Lets the connector of this host take over the map as it is now, and waits for it. Resolves to why it is not known to
 * have done so; undefined where it has, or where there is none that could forward by an older map.
 */
export type UpdateConnector = () => Promise<string | undefined>

/** Milliseconds: a response of the manager waits for it. */
const limit = 500

/** Milliseconds that a call may wait for a connector to act on what it changed. */
const updateLimit = 2000

/** Uses the connector's Unix socket. */
export const updateConnectorAt =
  (socket: string): UpdateConnector =>
  async () => {
    try {
      const caller = { endpoint: { kind: 'socket', path: socket }, timeout: updateLimit } as const
      const outcome = await send(caller, callOf(hostRoutes.followedRouting))
      if (!('problem' in outcome)) return undefined
      return outcome.problem.detail ?? `it answers ${outcome.response.status}`
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      // Nobody listens there, so nobody forwards.
      return error.code === 'no-socket' || error.code === 'refused' ? undefined : error.message
    }
  }

/** Uses the connector's Unix socket. */
export const askConnectorAt =
  (socket: string): AskConnector =>
  async () => {
    try {
      const caller = { endpoint: { kind: 'socket', path: socket }, timeout: limit } as const
      const outcome = await send(caller, callOf(connectorRoutes.connectorStatus))
      if ('problem' in outcome) return null
      const payload = readEnvelope(outcome.value)?.payload
      return Value.Check(ConnectorStatusPayload, payload) ? payload : null
    } catch (error) {
      if (error instanceof ClientError) return null
      throw error
    }
  }
