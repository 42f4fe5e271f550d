import { listenAddress } from '../types/addresses.ts'
import { duration } from '../types/duration.ts'
import { boolean, countType, portType } from '../types/scalars.ts'
import { setting } from './setting.ts'

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
  maxHeld: setting({
    ...common,
    name: 'connector-max-held',
    type: countType(1000),
    default: 1000,
  }),
  maxHold: setting({
    ...common,
    name: 'connector-max-hold',
    type: duration,
    default: 8000,
  }),
  drainTimeout: setting({
    ...common,
    name: 'connector-drain-timeout',
    type: duration,
    default: 30_000,
  }),
  managerTimeout: setting({
    ...common,
    name: 'connector-manager-timeout',
    type: duration,
    default: 30_000,
  }),
  greetingTimeout: setting({
    ...common,
    name: 'connector-greeting-timeout',
    type: duration,
    default: 3000,
  }),
  readonlyFallback: setting({
    ...common,
    name: 'application-readonly-fallback',
    type: boolean,
    default: true,
  }),
} as const
