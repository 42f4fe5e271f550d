import { valuesOf } from '../../src/config/resolve/resolved.ts'
import { connectorOptions } from '../../src/config/settings/connectorOptions.ts'
import type { ProxySettings } from '../../src/contracts/serverSettings.ts'

/** Proxy of service alpha with the defaults of its options, without a port for reading. */
export const proxySettings: ProxySettings = {
  service: 'alpha',
  readonlyPort: null,
  ...valuesOf(connectorOptions, (setting) => ({ value: setting.default, origin: 'default' })),
}
