import { Type } from 'typebox'
import type {
  ClusterPicture,
  PictureDataSource,
  PictureHost,
  PictureService,
  Verdict,
} from './clusterPicture.ts'
import { components } from './component.ts'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/**
 * What the page and its two servers agree on: `muster dashboard` on the operator's machine and the manager of a host.
 * All paths are below `/dashboard/`. Requests other than GET carry `dashboardHeader`, so that no form can make them.
 */
export const dashboardPaths = {
  /** GET: `SessionPayload`. */
  session: 'session',
  /** POST `TokenRequest`: exchanges the one-time token of `muster dashboard` for a session without a login. */
  token: 'token',
  /** POST `LoginRequest`: `SessionPayload`, or a problem. */
  login: 'login',
  /** POST: ends the session. */
  logout: 'logout',
  /** GET: text/event-stream of `DashboardEvent`, resumed by Last-Event-ID. */
  events: 'events',
  /** GET `?cluster=&host=`: `HostDetails`. */
  host: 'host',
  /** GET `?cluster=`: `ClusterUsers`. */
  users: 'users',
  /** GET `?cluster=`: `ClusterCertificates`. */
  certificates: 'certificates',
  /** GET `?cluster=`: `ClusterRuns`. */
  runs: 'runs',
  /** GET `?code=`: `ExplainPage`. */
  explain: 'explain',
  /** POST `ActionRequest`: 200 with an `ActionResponse`, whatever the called API answered; a problem where none was called. */
  action: 'action',
} as const

/** Header of requests that change something, and its value; other sites cannot set it without being asked first. */
export const dashboardHeader = { name: 'X-Muster-Dashboard', value: '1' } as const

/** Milliseconds after which an unused session ends. */
export const sessionIdle = 15 * 60_000

const name = Type.String({ minLength: 1, maxLength: 300 })

export const TokenRequest = Type.Object({ token: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) }, exact)

/** Login to one cluster, or to all that accept it. */
export const LoginRequest = Type.Object(
  { user: name, password: Type.String({ minLength: 1, maxLength: 4096 }), cluster: Type.Optional(name) },
  exact,
)

/** A call of the API of one component, made with the login of the session. */
export const ActionRequest = Type.Object(
  {
    cluster: name,
    /** Host whose API is called. */
    host: name,
    component: Type.Enum([...components]),
    /** Name of the route in the contracts, such as `managerShun`. */
    route: name,
    /** Values of the path's parameters. */
    params: Type.Record(Type.String({ pattern: '^[a-z]{1,20}$' }), name),
    /** Query beside the guard, which the server adds. */
    query: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z]{1,20}$' }), Type.String({ maxLength: 300 })),
    ),
    /** Payload of a call that takes one. */
    payload: Type.Optional(Type.Unknown()),
  },
  exact,
)

export type LoginRequest = ReadonlyStatic<typeof LoginRequest>
export type ActionRequest = ReadonlyStatic<typeof ActionRequest>

/** Pages that a server has; one without a page has no link to it. */
export const dashboardPages = ['clusters', 'cluster', 'host', 'users', 'certificates', 'runs'] as const

export type DashboardPage = (typeof dashboardPages)[number]

/** Session of the browser. `token`: it has none yet, and needs the one-time token. `login`: nobody is logged in. */
export type SessionPayload = {
  readonly state: 'token' | 'login' | 'in'
  readonly server: 'muster' | 'manager'
  readonly pages: readonly DashboardPage[]
  /** All clusters of this server; `access` is null where this session is not logged in. Empty for `token`. */
  readonly clusters: readonly {
    readonly name: string
    readonly user: string | null
    readonly access: 'read' | 'operate' | 'full' | null
  }[]
}

/** A point of the line of a replica's lag, at which it changed. Times are RFC 3339; lag in whole seconds. */
export type LagPoint = { readonly at: string; readonly lag: number | null }

/** The lags of the last ten minutes. */
export type LagHistory = {
  readonly service: string
  readonly datasource: string
  readonly points: readonly LagPoint[]
}

/**
 * Event of the stream; each carries one thing as a whole. `time` is the server's (RFC 3339): a page counts by it, since
 * the clock of its own machine may be wrong.
 */
export type DashboardEvent =
  | {
      readonly kind: 'snapshot'
      readonly time: string
      readonly clusters: readonly (ClusterPicture & { readonly lags: readonly LagHistory[] })[]
    }
  | { readonly kind: 'verdict'; readonly time: string; readonly cluster: string; readonly verdict: Verdict }
  | {
      readonly kind: 'service'
      readonly time: string
      readonly cluster: string
      readonly service: PictureService
    }
  | {
      readonly kind: 'datasource'
      readonly time: string
      readonly cluster: string
      readonly datasource: PictureDataSource
    }
  | { readonly kind: 'host'; readonly time: string; readonly cluster: string; readonly host: PictureHost }
  | {
      readonly kind: 'removed'
      readonly time: string
      readonly cluster: string
      readonly what: 'service' | 'datasource' | 'host'
      /** Absent for a host. */
      readonly service?: string
      readonly name: string
    }
  /** The session has ended, or a cluster of it: the page asks for its session again. */
  | { readonly kind: 'session'; readonly time: string }

/** An entry of what was done: a run of muster, or a call of an API. Newest first. */
export type RunEntry = {
  readonly id: string
  readonly time: string
  /** Null while it is under way. */
  readonly seconds: number | null
  /** `install`, or the call such as `managerShun alpha/db3`. */
  readonly what: string
  readonly by: string
  /** Machine or host on which it was done. */
  readonly at: string
  readonly hosts: readonly string[]
  readonly result: 'succeeded' | 'failed' | 'running' | 'interrupted'
  readonly detail: string | null
}

export type HostDetails = {
  readonly host: string
  readonly certificate: HostCertificate | null
  readonly runs: readonly RunEntry[]
  /** Last lines of the components' logs, oldest first; null where this server cannot read them. */
  readonly log:
    | readonly {
        readonly time: string
        readonly component: string
        readonly level: string
        readonly text: string
      }[]
    | null
}

export type HostCertificate = {
  readonly host: string
  readonly subject: string
  readonly issuer: string
  readonly names: readonly string[]
  /** RFC 3339. */
  readonly notBefore: string
  readonly notAfter: string
  /** SHA-256, in hexadecimal digits. */
  readonly fingerprint: string
}

/** What could not be read, per host. */
export type HostFailure = { readonly host: string; readonly reason: string }

/** Users of a cluster by name: who may log in where. */
export type ClusterUsers = {
  readonly hosts: readonly string[]
  readonly users: readonly {
    readonly user: string
    /** In the order of `hosts`; null where the host has no such user. */
    readonly access: readonly ('read' | 'operate' | 'full' | null)[]
  }[]
  readonly failures: readonly HostFailure[]
}

export type ClusterCertificates = {
  readonly certificates: readonly HostCertificate[]
  readonly failures: readonly HostFailure[]
}

export type ClusterRuns = { readonly runs: readonly RunEntry[]; readonly failures: readonly HostFailure[] }

/** A page of `muster explain`, as paragraphs and code blocks. */
export type ExplainPage = {
  readonly code: string
  readonly title: string
  readonly blocks: readonly { readonly kind: 'text' | 'code'; readonly text: string }[]
}

/**
 * Response of the called API: its status, and the payload or why not. The dashboard itself answers with 200: a 401 or 403 of
 * a host says nothing of the session.
 */
export type ActionResponse =
  | { readonly status: number; readonly payload: unknown }
  | { readonly status: number; readonly code: string; readonly detail: string }

/** Body of a response with an error status. */
export type DashboardProblem = { readonly code: string; readonly detail: string }
