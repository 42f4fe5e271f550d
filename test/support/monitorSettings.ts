import { valuesOf } from '../../src/config/resolve/resolved.ts'
import { monitorOptions } from '../../src/config/settings/databaseOptions.ts'
import type { MonitorSettings } from '../../src/contracts/serverSettings.ts'

/** Checks with the account `watch` and the defaults of their options. */
export const monitorSettings: MonitorSettings = {
  user: 'watch',
  maxReplicaLag: null,
  ...valuesOf(monitorOptions, (setting) => ({ value: setting.default, origin: 'default' })),
}
