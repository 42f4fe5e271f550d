import { addressAndPort, isWildcard } from '../base/address.ts'
import type { ClientAddresses } from './clusterPicture.ts'
import type { ProxySettings } from './serverSettings.ts'

/** Names the ports for clients as those reach them: what listens on all addresses, by the host's own. */
export function clientAddresses(
  {
    service,
    address,
    port,
    readonlyPort,
  }: Pick<ProxySettings, 'service' | 'address' | 'port' | 'readonlyPort'>,
  host: string,
): ClientAddresses {
  const at = (number: number): string => addressAndPort(isWildcard(address) ? host : address, number)
  return { service, readWrite: at(port), readOnly: readonlyPort === null ? null : at(readonlyPort) }
}
