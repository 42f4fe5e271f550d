import { Type } from 'typebox'
import { ChangePayload } from './commonPayloads.ts'
import { requestSchema } from './envelope.ts'
import { HoldPayload, ReleasePayload } from './managerPayloads.ts'
import { managerRoutes } from './managerRoutes.ts'
import { TakenOffline } from './replicatorPayloads.ts'
import type { Route } from './route.ts'
import { RoutingPayload } from './routing.ts'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/** What the replicator of a manager's host says of its replication. */
export const HostReplicationPayload = Type.Object(
  {
    service: Type.String(),
    /** Null for a host without a data source. */
    datasource: Type.Union([Type.String(), Type.Null()]),
    /** False while the replicator does not answer. */
    isKnown: Type.Boolean(),
    takenOffline: Type.Union([TakenOffline, Type.Null()]),
  },
  exact,
)

export type HostReplicationPayload = ReadonlyStatic<typeof HostReplicationPayload>

/** One call of `muster-api try-channels` at the manager of another host; without `error` it was answered. */
export type TriedChannel = {
  /** Name of that host. */
  readonly host: string
  readonly port: number
  /** Sentences of the component. */
  readonly error?: string
}

const holding = {
  tag: 'Services',
  method: 'POST',
  auth: 'host',
  guard: true,
  response: { kind: 'payload', payloadType: 'BooleanPayload', payload: ChangePayload },
  problems: ['not-found', 'wrong-state', 'operation-running', 'invalid-body'],
} as const

/**
 * Routes of the components for each other, beside the specification. All but those with the authentication `host` are
 * served on the Unix socket of a host alone: whoever may open that may write the user file, too.
 */
export const hostRoutes = {
  putUsers: {
    name: 'putUsers',
    tag: 'Users',
    method: 'POST',
    path: '/muster/users',
    auth: 'basic',
    guard: true,
    summary: 'Adds or changes users of this host by their hashes and levels, as `muster-api put-user` does.',
    request: Type.Object({ users: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }) }),
    response: { kind: 'payload', payloadType: 'BooleanPayload', payload: ChangePayload },
    problems: ['invalid-body', 'invalid-user-name'],
  },
  routing: {
    name: 'routing',
    tag: 'Status',
    method: 'GET',
    path: '/muster/routing',
    auth: 'host',
    guard: false,
    summary: 'Sends what the manager knows of its services now, and again, as a whole, with each change.',
    request: null,
    response: { kind: 'events', payloadType: 'RoutingPayload', payload: RoutingPayload },
    problems: [],
  },
  managerEvents: {
    ...managerRoutes.managerEvents,
    path: '/muster/events',
    auth: 'host',
    summary: 'Sends the events of the manager, to the managers of other hosts that show them.',
  },
  replication: {
    name: 'replication',
    tag: 'Replication',
    method: 'GET',
    path: '/muster/replication',
    auth: 'host',
    guard: false,
    summary: "Reads from the replicator of the manager's host who took its replication offline.",
    request: null,
    response: { kind: 'payload', payloadType: 'HostReplicationPayload', payload: HostReplicationPayload },
    problems: [],
  },
  hold: {
    ...holding,
    name: 'hold',
    path: '/muster/service/{service}/hold',
    summary: 'Lets clients that write wait, for a switch or a failover that another manager makes.',
    request: requestSchema('HoldPayload', HoldPayload),
  },
  release: {
    ...holding,
    name: 'release',
    path: '/muster/service/{service}/release',
    summary:
      'Ends the hold of a switch, and lets clients write to the primary if the servers show the same one.',
    request: requestSchema('ReleasePayload', ReleasePayload),
  },
  followedRouting: {
    name: 'followedRouting',
    tag: 'Connector',
    method: 'GET',
    path: '/muster/followed-routing',
    auth: 'basic',
    guard: false,
    summary: "Reads what the connector routes by, once that is its manager's word from now on.",
    request: null,
    response: { kind: 'payload', payloadType: 'RoutingPayload', payload: RoutingPayload },
    problems: ['manager-unreachable'],
  },
} as const satisfies Readonly<Record<string, Route>>
