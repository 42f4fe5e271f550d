import { Value } from 'typebox/value'
import { get } from '../../client/calls.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import { ServicesMapPayload } from '../../contracts/servicesMap.ts'
import type { MapInEffect } from './routes.ts'

const { path } = managerRoutes.managerServicesMap

/** The map of the manager behind a Unix socket, within milliseconds. Rejects with an Error that says why there is none. */
export async function askManager(options: {
  readonly socket: string
  readonly timeout: number
  readonly signal: AbortSignal
}): Promise<MapInEffect> {
  const { socket, timeout, signal } = options
  const outcome = await get({ endpoint: { kind: 'socket', path: socket }, timeout, signal }, path)
  if ('problem' in outcome) {
    const { status } = outcome.answer
    throw new Error(`The manager answers ${status} instead of its services map.`)
  }
  const payload = readEnvelope(outcome.value)?.payload
  if (!Value.Check(ServicesMapPayload, payload)) {
    throw new Error('The manager answers something else than a services map.')
  }
  return payload
}
