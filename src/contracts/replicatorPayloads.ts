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
    'an offline waits for the server. OFFLINE:NORMAL: both are stopped. OFFLINE:ERROR: one stopped, or cannot ' +
    'connect, with the pending error; offline stops what still runs and keeps the error, online and reset ' +
    'clear it. A service of the role primary is ONLINE while it writes its binary log.',
})

const common = {
  role: Type.Enum(['primary', 'replica']),
  state: ReplicatorState,
  appliedLastSeqno: orNull(
    Type.Integer(),
    'Number of the last applied transaction: the last part of its GTID on MariaDB, the highest number of the ' +
      "primary's own UUID on MySQL; of a primary, of its own last transaction. Null without GTIDs, and where " +
      'several GTID domains make it ambiguous.',
  ),
  appliedLatency: orNull(
    Type.Integer(),
    'Whole seconds by which the applier is behind, as the server says (Seconds_Behind_Source); null while it ' +
      'cannot say, as when a thread is stopped, and for a primary.',
  ),
  relativeLatency: orNull(
    Type.Integer(),
    'Seconds since the primary committed what was applied last; null, since neither MariaDB 10.11 nor MySQL ' +
      '8.4 reports it in its replication status.',
  ),
  masterConnectUri: orNull(
    Type.String(),
    'Where it fetches from, such as `mysql://10.0.0.11:3306`; null for a primary.',
  ),
}

/** List of `replicator/services`. */
export const ServicesPayload = Type.Array(
  Type.Object(
    {
      serviceName: Type.String({
        description:
          'Name of the replication channel; the channel without a name, and a primary, are called as the data service.',
      }),
      serviceType: Type.Literal('local'),
      started: Type.Boolean({ description: 'Whether any of its threads runs.' }),
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
    'Whether it asks the primary by GTID or by file and offset; null for a primary. By file a reset makes it ' +
      "start over at the primary's oldest binary log.",
  ),
  appliedLastEventId: orNull(
    Type.String(),
    "How far it applied, in the primary's binary log, such as `bin.000002:1307`; of a primary, where its own " +
      'binary log stands.',
  ),
  currentEventId: orNull(
    Type.String(),
    "How far it fetched, in the primary's binary log; of a primary, where its own binary log stands.",
  ),
  pendingError: orNull(Type.String(), 'What went wrong, in one sentence; null when nothing did.'),
  pendingErrorCode: orNull(Type.Integer(), "The server's number of that error, such as 1062."),
  pendingExceptionMessage: orNull(
    Type.String(),
    "The server's own words of that error; they may quote data of the statement that failed.",
  ),
  dataServerHost: Type.String({ description: 'Host of the database server that applies.' }),
}

/** State of one service. */
export const ServiceStatus = Type.Object(status, exact)

/** State of one service after a call that was to change it; repeated, the call says `changed: false`. */
export const ChangedServiceStatus = Type.Object({ ...status, changed: Type.Boolean() }, exact)

/** Services by name. */
export const ReplicatorStatusPayload = Type.Record(Type.String(), ServiceStatus)

/** The same, as calls that change something return it. */
export const ChangedReplicatorStatusPayload = Type.Record(Type.String(), ChangedServiceStatus)

export type ReplicatorState = (typeof replicatorStates)[number]
export type ServicesPayload = ReadonlyStatic<typeof ServicesPayload>
export type ServiceStatus = ReadonlyStatic<typeof ServiceStatus>
export type ChangedServiceStatus = ReadonlyStatic<typeof ChangedServiceStatus>
export type ReplicatorStatusPayload = Readonly<Record<string, ServiceStatus>>
export type ChangedReplicatorStatusPayload = Readonly<Record<string, ChangedServiceStatus>>
