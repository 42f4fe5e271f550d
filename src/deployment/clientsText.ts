import { addressAndPort } from '../base/address.ts'
import type { ProxySettings } from '../contracts/serverSettings.ts'

/** Where clients of the database connect: `clients of alpha at 127.0.0.1:9999, to read at 127.0.0.1:9998`. */
export function clientsText({
  service,
  address,
  port,
  readonlyPort,
}: Pick<ProxySettings, 'service' | 'address' | 'port' | 'readonlyPort'>): string {
  const read = readonlyPort === null ? '' : `, to read at ${addressAndPort(address, readonlyPort)}`
  return `clients of ${service} at ${addressAndPort(address, port)}${read}`
}
