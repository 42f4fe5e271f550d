import type { Component } from './component.ts'
import type { ServicesMap } from './servicesMap.ts'

/** pino's level names, most talkative first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof logLevels)[number]

/** The kinds of database server (option `datasource-type`). */
export const databaseTypes = ['mariadb', 'mysql'] as const

export type DatabaseType = (typeof databaseTypes)[number]

/** The host's own database server, as the replicator reaches it (options `datasource-type`, `replication-…`). */
export type DatabaseSettings = {
  readonly type: DatabaseType
  readonly host: string
  readonly port: number
  readonly user: string
  /** Name of the data service that the host is a member of: what a replication channel without a name is called. */
  readonly service: string
}

/** Address and limits of the connector for clients of the database (options `application-…`, `connector-…`). */
export type ProxySettings = {
  /** The service of the map that it serves. */
  readonly service: string
  readonly address: string
  /** To the primary. */
  readonly port: number
  /** To the replicas; null: off. */
  readonly readonlyPort: number | null
  /** Number of clients that are held at once, at most. */
  readonly maxHeld: number
  /** Milliseconds that a client is held at most. */
  readonly maxHold: number
  /** Milliseconds that connections get to end by themselves when the connector goes offline. */
  readonly drainTimeout: number
}

/** The service that a manager's host takes part in, and how. */
export type Membership = {
  readonly service: string
  /** The host's own data source; null where it has none. */
  readonly datasource: string | null
  /** True if it is one of the service's `witnesses`. */
  readonly witness: boolean
}

/** A host of the cluster; its certificate has one of the names, which may be addresses. */
export type PeerHost = { readonly name: string; readonly names: readonly string[] }

/** A manager of another host as a connector reaches it; the first name is the one of the TLS handshake. */
export type FollowedManager = PeerHost & { readonly address: string; readonly port: number }

/**
 * Content of the file of `muster-api serve --settings FILE`: one JSON file per component and host, written by a
 * deployment. All paths are absolute paths on the host. It holds no secret.
 */
export type ServerSettings = {
  readonly version: 1
  readonly cluster: string
  readonly host: string
  readonly component: Component
  /** TCP listener of the API; null when `<component>-rest-api` is false: the Unix socket stays. */
  readonly listen: { readonly address: string; readonly port: number } | null
  /** Unix socket that only the service user and root can open. */
  readonly socket: string
  /** PEM files: the private key, the leaf followed by its authority, and the authorities that prove other hosts. */
  readonly tls: { readonly key: string; readonly chain: string; readonly authorities?: string }
  /** Hosts that a manager tells about its services, proved by their certificates; absent: none. */
  readonly peers?: readonly PeerHost[]
  /** The host's one user file, shared by the three components. */
  readonly usersFile: string
  /** Audit log of the calls that change something; without it there is none, and the server says so. */
  readonly auditFile?: string
  /** Names and addresses that a Host header may carry, without port. */
  readonly allowedHosts: readonly string[]
  /** True if callers beyond loopback may create the first user (contract.md, "Unauthenticated bootstrap"). */
  readonly remoteBootstrap: boolean
  readonly logLevel: LogLevel
  /** File that the component opens itself, after it gave root up, and rotates; without it the log goes to standard output. */
  readonly log?: { readonly file: string }
  /** Absent where the options name no database. */
  readonly database?: DatabaseSettings
  /** File of passwords, for the service user alone: a JSON object by option, such as `replication-password`. */
  readonly secretsFile?: string
  /** The services map that the host is installed with; manager and connector. */
  readonly services?: ServicesMap
  /** State file of a manager or a connector, with what calls changed; required with `services`. */
  readonly stateFile?: string
  /** The host's place, where it runs a manager. */
  readonly member?: Membership
  /** Account of the manager's checks; its password is the secret `monitor-password`. */
  readonly monitor?: { readonly user: string }
  /** Unix socket of the connector of this host, where it has one; manager. */
  readonly connectorSocket?: string
  /** Absent where there is no database to forward to; connector. */
  readonly proxy?: ProxySettings
  /** Unix socket of the manager of this host, where it has one: then the connector follows its map. */
  readonly managerSocket?: string
  /** Managers that the connector follows where its host has none, in the order of the file. */
  readonly managers?: readonly FollowedManager[]
  /** Pid file of a detached process; absent under systemd. */
  readonly pidFile?: string
  /** System user to become when started as root without systemd. */
  readonly user?: string
}
