import { Type } from 'typebox'
import { exact, orNull, type ReadonlyStatic } from './schemaParts.ts'

/** The states of a service (contract.md, "Replicator"). */
export const replicatorStates = [
  'ONLINE',
  'GOING-OFFLINE',
  'OFFLINE:NORMAL',
  'GOING-ONLINE:SYNCHRONIZING',
  'OFFLINE:ERROR',
] as const

/** State of a replication service. */
export const ReplicatorState = Type.Enum([...replicatorStates], {
  description:
    'Derived from the threads of the database server. ONLINE: both run and the primary is connected. ' +
    'GOING-ONLINE:SYNCHRONIZING: the primary is not connected yet. GOING-OFFLINE: one of them still runs, or ' +
    'the call offline waits for the server. OFFLINE:NORMAL: both are stopped. OFFLINE:ERROR: one stopped, or ' +
    'cannot connect, with the pending error. The call offline stops the other thread and keeps the error; ' +
    'online and reset clear it. A service with the role primary is ONLINE while it writes its binary log.',
})

/** A person's word that replication is to be off. */
export const TakenOffline = Type.Object(
  {
    by: Type.String({ description: 'User who called offline.' }),
    since: Type.String({ format: 'date-time' }),
  },
  exact,
)

const common = {
  role: Type.Enum(['primary', 'replica']),
  state: ReplicatorState,
  appliedLastSeqno: orNull(
    Type.Integer(),
    'Number of the last applied transaction: the last part of its GTID on MariaDB, the highest number of the ' +
      "primary's own UUID on MySQL. On a primary: of its own last transaction. Null without GTIDs, or if " +
      'several GTID domains make it ambiguous.',
  ),
  appliedLatency: orNull(
    Type.Integer(),
    'Whole seconds by which the applier is behind, as the server reports it (Seconds_Behind_Source); null for a ' +
      'primary, and while the server does not report it, such as when a thread is stopped.',
  ),
  relativeLatency: orNull(
    Type.Integer(),
    'Seconds since the primary committed the last applied transaction. Always null: neither MariaDB 10.11 nor ' +
      'MySQL 8.4 reports it in its replication status.',
  ),
  masterConnectUri: orNull(
    Type.String(),
    'Server that it fetches from, such as `mysql://10.0.0.11:3306`; null for a primary.',
  ),
}

/** List of `replicator/services`. */
export const ServicesPayload = Type.Array(
  Type.Object(
    {
      serviceName: Type.String({
        description:
          'Name of the replication channel; for the channel without a name and for a primary, the name of the data service.',
      }),
      serviceType: Type.Literal('local'),
      started: Type.Boolean({ description: 'Whether one of its threads runs.' }),
      ...common,
    },
    exact,
  ),
)

const status = {
  ...common,
  receiver: Type.Enum(['running', 'connecting', 'stopped'], {
    description: 'The thread that fetches from the primary; stopped for a primary.',
  }),
  applier: Type.Enum(['running', 'stopped'], {
    description: 'The thread that applies what was fetched; stopped for a primary.',
  }),
  positioning: orNull(
    Type.Enum(['gtid', 'file']),
    'Whether it requests events by GTID or by file and offset; null for a primary. With `file`, a reset makes it ' +
      "start over at the primary's oldest binary log.",
  ),
  appliedLastEventId: orNull(
    Type.String(),
    "Applied position in the primary's binary log, such as `bin.000002:1307`; for a primary, the position of its " +
      'own binary log.',
  ),
  currentEventId: orNull(
    Type.String(),
    "Fetched position in the primary's binary log; for a primary, the position of its own binary log.",
  ),
  pendingError: orNull(Type.String(), 'The error in one sentence; null if there is none.'),
  pendingErrorCode: orNull(Type.Integer(), "The server's number of the error, such as 1062."),
  pendingExceptionMessage: orNull(
    Type.String(),
    "The server's own error message; it may quote data of the failed statement.",
  ),
  dataServerHost: Type.String({ description: 'Host of the database server that applies.' }),
  takenOffline: orNull(
    TakenOffline,
    'Who took it offline by the call offline, and since when; survives restarts, and ends with online or once it ' +
      'runs again. Null for a service that stopped by itself or by SQL.',
  ),
}

/** State of one service. */
export const ServiceStatus = Type.Object(status, exact)

/** State of one service after a call that was to change it; repeated, the call says `changed: false`. */
const ChangedServiceStatus = Type.Object({ ...status, changed: Type.Boolean() }, exact)

/** Services by name. */
export const ReplicatorStatusPayload = Type.Record(Type.String(), ServiceStatus)

/** The same, as calls that change something return it. */
export const ChangedReplicatorStatusPayload = Type.Record(Type.String(), ChangedServiceStatus)

export type TakenOffline = ReadonlyStatic<typeof TakenOffline>
export type ReplicatorState = (typeof replicatorStates)[number]
export type ServicesPayload = ReadonlyStatic<typeof ServicesPayload>
export type ServiceStatus = ReadonlyStatic<typeof ServiceStatus>
type ChangedServiceStatus = ReadonlyStatic<typeof ChangedServiceStatus>
export type ReplicatorStatusPayload = Readonly<Record<string, ServiceStatus>>
export type ChangedReplicatorStatusPayload = Readonly<Record<string, ChangedServiceStatus>>
