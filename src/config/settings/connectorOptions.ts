import { listenAddress } from '../types/addresses.ts'
import { duration } from '../types/duration.ts'
import { countLike, portLike } from '../types/scalars.ts'
import { setting } from './setting.ts'

const common = { scope: 'options', component: 'connector' } as const

/** The proxy: where its clients connect and how long they may wait (options.md, "The options"). */
export const connectorOptions = {
  applicationPort: setting({
    ...common,
    name: 'application-port',
    type: portLike(9999),
    default: 9999,
    documentation:
      'TCP port of the connector for clients, to the primary. It is opened if the service has databases, or if the file sets it or application-readonly-port.',
  }),
  applicationReadonlyPort: setting({
    ...common,
    name: 'application-readonly-port',
    type: portLike(9998),
    documentation: 'TCP port of the connector for clients that only read, to the replicas. Absent: none.',
  }),
  applicationAddress: setting({
    ...common,
    name: 'application-address',
    type: listenAddress,
    default: '127.0.0.1',
    documentation: 'Address that the connector listens on for clients; 0.0.0.0 or :: means all interfaces.',
  }),
  maxHeld: setting({
    ...common,
    name: 'connector-max-held',
    type: countLike(1000),
    default: 1000,
    documentation: 'Maximum number of connections held while the connector is on hold.',
  }),
  maxHold: setting({
    ...common,
    name: 'connector-max-hold',
    type: duration,
    default: 8000,
    documentation: 'Maximum time that a connection is held before it gets an error.',
  }),
  drainTimeout: setting({
    ...common,
    name: 'connector-drain-timeout',
    type: duration,
    default: 30_000,
    documentation:
      'Time that existing connections may continue after the connector goes offline or is stopped.',
  }),
} as const
