import type { Duplex } from 'node:stream'
import { StartError } from '../../api/startError.ts'
import { ClientError } from '../../client/clientError.ts'
import { openStream } from '../../client/openStream.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { managerEndpoint } from '../managerEndpoint.ts'

/** Milliseconds until the other end of a stream is there. */
const usualPatience = 30_000

/** Id of a stream, a UUID that both ends were given, and milliseconds until the other one must be there. */
type Stream = { readonly id: string; readonly patience?: number }

async function open(...asked: Parameters<typeof openStream>): Promise<Duplex> {
  try {
    return await openStream(...asked)
  } catch (error) {
    throw error instanceof ClientError ? new StartError(error.message, error) : error
  }
}

/** Opens a stream to another host by way of the manager of this one. Rejects with a `StartError`. */
export const openSending = (
  { socket }: Pick<ServerSettings, 'socket'>,
  { id, to, patience = usualPatience }: Stream & { readonly to: string },
): Promise<Duplex> => open({ kind: 'socket', path: socket }, { id, to, timeout: patience })

/** Opens a stream from another host by way of its manager. Rejects with a `StartError`. */
export async function openReceiving(
  { managers = [], tls }: Pick<ServerSettings, 'managers' | 'tls'>,
  { id, from, patience = usualPatience }: Stream & { readonly from: string },
): Promise<Duplex> {
  const manager = managers.find(({ name }) => name === from)
  if (!manager) throw new StartError(`the settings name no manager of ${from}`)
  return open(managerEndpoint(manager, tls), { id, timeout: patience })
}
