import type { Component } from './component.ts'

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

/**
 * What `muster-api serve --settings FILE` reads: one JSON file per component and host, written by a
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
  /** PEM files: the private key, and the leaf followed by its authority. */
  readonly tls: { readonly key: string; readonly chain: string }
  /** The host's one user file, shared by the three components. */
  readonly usersFile: string
  /** Audit log of the calls that change something; without it there is none, and the server says so. */
  readonly auditFile?: string
  /** Names and addresses that a Host header may carry, without port. */
  readonly allowedHosts: readonly string[]
  /** Whether a peer other than loopback may create the first user (contract.md, "Unauthenticated bootstrap"). */
  readonly remoteBootstrap: boolean
  readonly logLevel: LogLevel
  /** Absent where the options name no database. */
  readonly database?: DatabaseSettings
  /** File of passwords, for the service user alone: a JSON object by option, such as `replication-password`. */
  readonly secretsFile?: string
  /** Where a detached process leaves its pid; absent under systemd. */
  readonly pidFile?: string
  /** System user to become when started as root without systemd. */
  readonly user?: string
}
