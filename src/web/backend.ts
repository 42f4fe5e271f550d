import type { Socket } from 'node:net'
import type { ClusterPicture } from '../contracts/clusterPicture.ts'
import type { Component } from '../contracts/component.ts'
import type {
  ActionResponse,
  ClusterCertificates,
  ClusterRuns,
  ClusterUsers,
  HostDetails,
  LagHistory,
  LoginRequest,
  SessionPayload,
} from '../contracts/dashboard.ts'
import type { RouteCall } from '../contracts/routeCall.ts'
import type { Secret } from '../secrets/secret.ts'

export type Access = NonNullable<SessionPayload['clusters'][number]['access']>

/** Login of a session to one cluster, as the backend returned it; the very same value whenever it is asked about it. */
export type DashboardLogin = {
  readonly cluster: string
  readonly user: string
  readonly password: Secret
  readonly access: Access
}

/** A cluster while somebody looks at it. */
export type FollowedCluster = {
  /** Computes its picture of now, at once. Called for the first viewer, and then at most every 100 ms. */
  picture(): ClusterPicture
  lags(): readonly LagHistory[]
  stop(): void
}

/** A call of a component's API that was checked against the contracts. */
export type RelayedCall = RouteCall & { readonly host: string; readonly component: Component }

/** What a server of the dashboard knows and does; any call may reject with a `DashboardError`. */
export type DashboardBackend = {
  readonly server: SessionPayload['server']
  /** Names of the clusters, which do not change. */
  readonly clusters: readonly string[]
  /**
   * Logs in to the named cluster, or to all that accept it; rejects where none does. Failures count for the browser's
   * end of the connection.
   */
  login(
    asked: Omit<LoginRequest, 'password'> & { readonly password: Secret },
    connection: Socket,
  ): Promise<readonly DashboardLogin[]>
  /**
   * Returns false once the user has another password or level, or is gone. Asked at each request, and every second
   * while the session has a stream: a backend that must ask others remembers their answer for a while.
   */
  isCurrent(login: DashboardLogin): boolean | Promise<boolean>
  /** Keeps nothing of a login any more: its session has ended, or has another login in its place. */
  forget?(login: DashboardLogin): void
  /** Follows a cluster until `stop`; `changed` is called after each change, as often as it likes. */
  follow(cluster: string, changed: () => void): FollowedCluster
  call(login: DashboardLogin, call: RelayedCall): Promise<ActionResponse>
  /** The pages below are absent where the server does not have them. */
  host?(login: DashboardLogin, host: string): Promise<HostDetails>
  users?(login: DashboardLogin): Promise<ClusterUsers>
  certificates?(login: DashboardLogin): Promise<ClusterCertificates>
  runs?(login: DashboardLogin): Promise<ClusterRuns>
}
