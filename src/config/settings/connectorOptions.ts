import { connectorLimits } from '../../contracts/serverOptions.ts'
import { listenAddress } from '../types/addresses.ts'
import { portType } from '../types/scalars.ts'
import { setting, settingsOf } from './setting.ts'

const common = { scope: 'options', component: 'connector' } as const

/** Listeners and limits of the connector for its clients; members are named as in the settings of servers. */
export const connectorOptions = {
  port: setting({
    ...common,
    name: 'application-port',
    type: portType(9999),
    default: 9999,
  }),
  readonlyPort: setting({
    ...common,
    name: 'application-readonly-port',
    type: portType(9998),
  }),
  address: setting({
    ...common,
    name: 'application-address',
    type: listenAddress,
    default: '127.0.0.1',
  }),
  ...settingsOf(connectorLimits, common),
} as const
