import { Value } from 'typebox/value'
import { send } from '../../client/calls.ts'
import { ClientError } from '../../client/clientError.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { ReplicatorStatusPayload } from '../../contracts/replicatorPayloads.ts'
import { replicatorRoutes } from '../../contracts/replicatorRoutes.ts'
import { callOf } from '../../contracts/routeCall.ts'
import type { Answer } from './takenOffline.ts'

/** Milliseconds. */
const limit = 1500

/** Asks the replicator of this host over its Unix socket who took it offline; undefined while it does not answer. */
export const askReplicatorAt = (socket: string) => async (): Promise<Answer> => {
  try {
    const caller = { endpoint: { kind: 'socket', path: socket }, timeout: limit } as const
    const outcome = await send(caller, callOf(replicatorRoutes.replicatorStatus))
    if ('problem' in outcome) return undefined
    const payload = readEnvelope(outcome.value)?.payload
    return Value.Check(ReplicatorStatusPayload, payload) ? takenOfflineOf(payload) : undefined
  } catch (error) {
    if (error instanceof ClientError) return undefined
    throw error
  }
}

/** Returns who took the services offline that stand still; null where one of them does so by itself. */
function takenOfflineOf(status: ReplicatorStatusPayload): Answer {
  const marks = Object.values(status).flatMap(({ role, receiver, applier, takenOffline }) =>
    role === 'replica' && (receiver === 'stopped' || applier === 'stopped') ? [takenOffline] : [],
  )
  return marks.includes(null) ? null : (marks.at(-1) ?? null)
}
