import { addressAndPort, isWildcard } from '../base/address.ts'
import type { HostConfig } from '../config/model.ts'

/** Where an API is called from elsewhere, such as `10.0.0.11:8090` or `[2001:db8::1]:8090`. */
export function apiPlace(
  host: Pick<HostConfig, 'address'>,
  api: Pick<HostConfig['apis'][number], 'address' | 'port'>,
): string {
  return addressAndPort(isWildcard(api.address) ? host.address : api.address, api.port)
}
