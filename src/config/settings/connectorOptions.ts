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
      "Connector's TCP port for clients, to the primary. It is opened where the service has databases, or where the file gives it or application-readonly-port.",
  }),
  applicationReadonlyPort: setting({
    ...common,
    name: 'application-readonly-port',
    type: portLike(9998),
    documentation: "Connector's TCP port for clients that only read, to the replicas. Absent: none.",
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
    documentation: 'How many connections at most are held while the connector is on hold.',
  }),
  maxHold: setting({
    ...common,
    name: 'connector-max-hold',
    type: duration,
    default: 8000,
    documentation: 'How long a connection is held at most before it is answered with an error.',
  }),
  drainTimeout: setting({
    ...common,
    name: 'connector-drain-timeout',
    type: duration,
    default: 30_000,
    documentation:
      'How long existing connections may run on after the connector was taken offline, and when it is stopped.',
  }),
} as const
