import { type TProperties, Type } from 'typebox'
import { switchOperations, switchSteps } from './choices.ts'
import { ConnectorStatusPayload } from './connectorPayloads.ts'
import { ReasonCode, Writer } from './routing.ts'
import { exact, orNull, type ReadonlyStatic } from './schemaParts.ts'
import { DataSourceRole, DataSourceState, dataSourceRoles, MapName, reached } from './servicesMap.ts'

/** Policies of automatic actions (contract.md, "Manager"). */
export const policies = ['AUTOMATIC', 'MANUAL', 'MAINTENANCE'] as const

/** Policy of a service. */
export const Policy = Type.Enum([...policies], {
  description:
    'AUTOMATIC monitors, fences failed data sources, brings them back, and replaces a lost primary where that loses ' +
    'nothing; MANUAL monitors and fences; MAINTENANCE only monitors.',
})
const time = Type.String({ format: 'date-time' })
const count = Type.Integer({ minimum: 0 })
/** Connections of clients: now, and since the process started. */
export const Connections = Type.Object({ active: count, created: count }, exact)

/** The manager of this host. */
export const StatusPayload = Type.Object(
  {
    dataServiceName: Type.String({ description: 'The service that this host is a member of.' }),
    dataSourceName: orNull(Type.String(), 'The data source of this host; null where it has none.'),
    startTime: time,
    uptimeSeconds: count,
    state: Type.Enum(['ONLINE', 'OFFLINE'], {
      description:
        'ONLINE: it checks its data sources. OFFLINE: it has no account for checks (monitor-user).',
    }),
    reason: orNull(
      Type.String(),
      'Why it does not check its data sources, such as no configured database; null if it does.',
    ),
    isWitness: Type.Boolean({ description: 'Whether this host is a witness (`witnesses`).' }),
    managerPID: count,
    parentPID: count,
    policyMode: Policy,
    tlsEnabled: Type.Boolean({
      description: 'Whether the API listens on TCP with TLS, beside its Unix socket.',
    }),
    tlsCertificateExpiry: orNull(time, 'When the certificate of the API expires; null without a listener.'),
  },
  exact,
)

/** Services, data sources and the connector of this host. */
export const ClusterTopologyPayload = Type.Object(
  {
    topology: Type.Literal('clustered'),
    name: Type.String({ description: 'Name of the cluster.' }),
    services: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          role: Type.Literal('primary', { description: 'There are no composite services yet.' }),
          datasources: Type.Array(Type.Object({ name: Type.String(), role: DataSourceRole }, exact)),
        },
        exact,
      ),
    ),
    routers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String(),
            connections: orNull(
              Connections,
              'Client connections; null while the connector does not respond.',
            ),
          },
          exact,
        ),
        { description: 'The connector of this host, if it has one; left out with `includeRouters=no`.' },
      ),
    ),
  },
  exact,
)

const dataSource = {
  name: Type.String(),
  service: Type.String(),
  role: Type.Enum([...dataSourceRoles], {
    description:
      'The role that its server has: a primary can be written and follows nobody. The services map has the role that ' +
      'is meant.',
  }),
  state: DataSourceState,
  host: Type.String(),
  port: Type.Integer(),
  since: time,
  by: Type.String({
    description: 'API user who set its state, or `socket`, `manager` or `installation`.',
  }),
  code: orNull(
    ReasonCode,
    'The contradiction that the last check found, for programs and for `muster explain`; null for none.',
  ),
  reason: orNull(
    Type.String(),
    'Why it is in its state, or what the last check found; null if there is no problem.',
  ),
  checkedAt: orNull(time, 'When the last check ended; null before the first and without monitor-user.'),
  connections: orNull(
    Connections,
    "Client connections through this host's connector; null while it does not respond.",
  ),
  seqno: orNull(Type.Integer(), 'Number of the last applied transaction, as the replicator reports it.'),
  appliedLatency: orNull(Type.Integer(), 'Whole seconds that a replica is behind; null for a primary.'),
  relativeLatency: orNull(Type.Integer(), 'Always null: neither MariaDB nor MySQL reports it.'),
  follows: orNull(
    Type.String(),
    'The data source that its server replicates from, as the last check that reached it saw it; null for a primary, for ' +
      'a server that follows nobody, and for a source outside the service, which `reason` names.',
  ),
  standby: Type.Boolean(),
  archive: Type.Boolean(),
  witness: Type.Boolean(),
}

/** One data source. */
export const DatasourceStatusPayload = Type.Object(dataSource, exact)

/** The members of a data source that the views of a whole cluster show. */
export const ShownDataSource = Type.Omit(DatasourceStatusPayload, [
  ...(['checkedAt', 'seqno', 'relativeLatency', 'standby', 'archive', 'witness'] as const),
])

/** The same, as calls that change it return it. */
export const ChangedDatasourceStatusPayload = Type.Object(
  { ...dataSource, changed: Type.Boolean(), ...reached },
  exact,
)

/** Action of the managers about a primary that is lost. */
export const Failover = Type.Object(
  {
    automatic: Type.Boolean({
      description:
        'Whether the managers replace a lost primary by themselves: under the policy AUTOMATIC, and where it ' +
        'acknowledges nothing that no other server has.',
    }),
    reason: orNull(
      Type.String(),
      'Why they leave it to a person, or why the last attempt changed nothing; null for neither.',
    ),
  },
  exact,
)

const service = {
  name: Type.String(),
  type: Type.Literal('physical'),
  composite: Type.Literal(false),
  multimaster: Type.Literal(false),
  policy: Policy,
  writer: Writer,
  failover: Failover,
  datasources: Type.Array(DatasourceStatusPayload),
}

/** One service. */
export const ServiceStatusPayload = Type.Object(service, exact)

/** The same, as calls that change it return it. */
export const ChangedServiceStatusPayload = Type.Object(
  { ...service, changed: Type.Boolean(), ...reached },
  exact,
)

export const SwitchOperation = Type.Enum([...switchOperations], {
  description: 'switch: in place of a primary that answers. failover: of one that is lost.',
})

export type SwitchOperation = (typeof switchOperations)[number]

/** Step of a switch or a failover. */
export const SwitchStep = Type.Enum([...switchSteps], {
  description:
    'check: reads all servers. hold: clients wait. drain: open transactions end. freeze: the old primary becomes ' +
    'read-only. catch-up: the new primary applies all of it. promote: it becomes writable; there is no way back from ' +
    'here. repoint: the others follow it. release: clients go on. verify: all servers are read again. A failover has no ' +
    'drain, and at freeze the others leave the lost primary.',
})

export type SwitchStep = (typeof switchSteps)[number]

/** A switch of a service's primary, or a failover: under way, done or failed. */
export const TaskPayload = Type.Object(
  {
    taskId: Type.String(),
    state: Type.Enum(['in_progress', 'complete', 'incomplete', 'failed'], {
      description:
        'complete: the servers were read again, and all of them follow the new primary. incomplete: it is the primary, ' +
        'and a remark names each server that was not seen to follow it. failed: see error.',
    }),
    operation: SwitchOperation,
    service: Type.String(),
    step: SwitchStep,
    startedAt: time,
    endedAt: orNull(time, 'Null while it is under way.'),
    result: orNull(
      Type.Object(
        {
          oldPrimary: Type.String(),
          newPrimary: Type.String(),
          heldMilliseconds: orNull(count, 'Time that clients waited; null where it is not known.'),
          remarks: Type.Array(Type.String(), {
            description: 'What is left to do, such as a server that was away.',
          }),
        },
        exact,
      ),
      'Null unless it is complete or incomplete.',
    ),
    error: orNull(Type.String(), 'Why it failed, and who is the primary now; null unless it failed.'),
  },
  exact,
)

const { datasources: _datasources, ...ownOfService } = service
const { datasources: _counts, ...ownOfConnector } = ConnectorStatusPayload.properties

/** The connector of the manager's host, as it was within the last second. */
export const HostConnector = Type.Object(
  {
    name: Type.String({ description: 'Name of the host.' }),
    status: orNull(
      Type.Object(ownOfConnector, exact),
      'ConnectorStatusPayload without its data sources; null while it does not respond.',
    ),
  },
  exact,
)
const connector = orNull(HostConnector, 'Null where the host has no connector.')
const eventOf = <Kind extends string, Members extends TProperties>(kind: Kind, members: Members) =>
  Type.Object({ kind: Type.Literal(kind), time, ...members }, exact)

/**
 * A change that a manager saw. Each is the new whole value of one thing in place of the one before it, and a snapshot is
 * everything. `checkedAt`, `seqno` and `uptimeSeconds` are as of the event: they alone are no change.
 */
export const ManagerEventPayload = Type.Union(
  [
    eventOf('snapshot', {
      cluster: Type.String(),
      host: Type.String(),
      manager: StatusPayload,
      services: Type.Array(ServiceStatusPayload),
      tasks: Type.Array(TaskPayload, {
        description: 'The switch that each service is in, or the last one since the manager started.',
      }),
      connector,
    }),
    eventOf('manager', { manager: StatusPayload }),
    eventOf('service', { service: Type.Object(ownOfService, exact) }),
    eventOf('datasource', { datasource: DatasourceStatusPayload }),
    eventOf('task', { task: TaskPayload }),
    eventOf('connector', { connector }),
  ],
  {
    description:
      'snapshot: everything, at the begin and when the services map changes. service: policy and writer of a service, ' +
      'without its data sources. task: a switch, at each of its steps. Each event replaces what was known of its thing.',
  },
)

/** One reason why a switch would be refused. */
export const SwitchRefusal = Type.Object(
  {
    datasource: orNull(Type.String(), 'The data source that it is about; null for the service as a whole.'),
    reason: Type.String(),
    fix: orNull(
      Type.String(),
      'What to do about it, such as the SQL of a missing grant; null where nothing is known.',
    ),
  },
  exact,
)

/** Plan of a switch or a failover as it would be made now. */
export const SwitchPlanPayload = Type.Object(
  {
    service: Type.String(),
    from: orNull(Type.String(), 'The primary now, or the lost one; null while there is none.'),
    to: orNull(Type.String(), 'The primary then; null where no data source can be it.'),
    loss: orNull(Type.String(), 'What a failover may lose; null for a switch, and without a new primary.'),
    refusals: Type.Array(SwitchRefusal, { description: 'Why it would be refused; empty if it would not.' }),
  },
  exact,
)

/** Ids of tasks and of changes: UUIDs (RFC 9562). */
export const taskIdPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/** Order to a manager to let the clients of a service wait, in words of the switch that it is part of. */
export const HoldPayload = Type.Object(
  {
    id: Type.String({
      pattern: taskIdPattern,
      description: 'The switch; the same again renews its hold.',
    }),
    operation: SwitchOperation,
    from: MapName,
    to: MapName,
    step: SwitchStep,
    by: Type.String({ minLength: 1, maxLength: 200, description: 'Who ordered the switch.' }),
    milliseconds: Type.Integer({
      minimum: 1,
      maximum: 600_000,
      description: 'After this time without another word the manager goes by the servers again.',
    }),
  },
  exact,
)

/** Order to a manager to end a hold. */
export const ReleasePayload = Type.Object(
  {
    id: HoldPayload.properties.id,
    primary: orNull(MapName, 'The primary from now on; null: as the servers say.'),
  },
  exact,
)

export type Policy = (typeof policies)[number]
export type TaskPayload = ReadonlyStatic<typeof TaskPayload>
export type SwitchPlanPayload = ReadonlyStatic<typeof SwitchPlanPayload>
export type SwitchRefusal = ReadonlyStatic<typeof SwitchRefusal>
export type HoldPayload = ReadonlyStatic<typeof HoldPayload>
export type ReleasePayload = ReadonlyStatic<typeof ReleasePayload>
export type StatusPayload = ReadonlyStatic<typeof StatusPayload>
export type ClusterTopologyPayload = ReadonlyStatic<typeof ClusterTopologyPayload>
export type ShownDataSource = ReadonlyStatic<typeof ShownDataSource>
export type DatasourceStatusPayload = ReadonlyStatic<typeof DatasourceStatusPayload>
export type Failover = ReadonlyStatic<typeof Failover>
export type ServiceStatusPayload = ReadonlyStatic<typeof ServiceStatusPayload>
export type ManagerEventPayload = ReadonlyStatic<typeof ManagerEventPayload>
export type HostConnector = ReadonlyStatic<typeof HostConnector>
