import type { Duplex } from 'node:stream'
import { connectableAddress } from '../base/address.ts'
import type { HostConfig } from '../config/model.ts'
import type { ListeningPlace, Transport } from '../transport/transport.ts'

/**
 * Returns the transport with connections to the host's APIs already being opened, so that later calls need not wait
 * for them. Unused connections are closed with the transport.
 */
export function preconnect(transport: Transport, { apis }: Pick<HostConfig, 'apis'>): Transport {
  const { dial } = transport
  if (dial === undefined) return transport
  const places = apis.flatMap(({ enabled, address, port }): readonly ListeningPlace[] => [
    ...(enabled ? [{ address: connectableAddress(address), port }] : []),
  ])
  const early = new Map(places.map((place) => [JSON.stringify(place), dial(place)]))
  const take = (key: string): Promise<Duplex | Error> | undefined => {
    const taken = early.get(key)
    early.delete(key)
    return taken
  }
  return {
    ...transport,
    dial: async (place) => {
      const taken = await take(JSON.stringify(place))
      return taken === undefined || (!(taken instanceof Error) && taken.destroyed) ? dial(place) : taken
    },
    close: async () => {
      for (const key of [...early.keys()]) {
        take(key)?.then((stream) => stream instanceof Error || stream.destroy())
      }
      await transport.close()
    },
  }
}
