import type { Component } from '../contracts/component.ts'
import type { DatabaseType, LogLevel, Membership, ProxySettings } from '../contracts/serverSettings.ts'
import type { MapService } from '../contracts/servicesMap.ts'
import type { SecretReference } from '../secrets/reference.ts'

/** How to reach a host over SSH (options.md, "`ssh` keys"). Paths are absolute. */
export type SshConfig = {
  /** Absent, as all below: what ssh_config says; else the invoking user's own name. */
  readonly user?: string
  readonly port?: number
  /** Private key file; absent at last: the agent, then the usual keys of ~/.ssh. */
  readonly identity?: string
  /** Absent at last: ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts. */
  readonly knownHosts?: string
  /** Pinned fingerprint, `SHA256:…`; when given, it alone decides. */
  readonly hostKey?: string
  /** Hosts to go through, in this order, each as `[user@]host[:port]`, or `none` alone. */
  readonly jump?: readonly string[]
  /** File of ssh_config(5); absent: those that ssh itself reads. */
  readonly config?: string
  /** Run everything through sudo. */
  readonly become: boolean
  /** For sudo; `ask`: a person is asked for it. */
  readonly becomePassword?: SecretReference | 'ask'
  /** Milliseconds until a connection attempt counts as failed. */
  readonly timeout?: number
}

/** One component of one host and where its API listens. */
export type ApiConfig = {
  readonly component: Component
  /** False: `<component>-rest-api: false`. The component runs, its TCP listener does not. */
  readonly enabled: boolean
  readonly address: string
  readonly port: number
}

/** The stores a host uses; without paths they are generated. Paths are absolute, or `host:/path`. */
export type TlsConfig = {
  readonly keystorePath?: string
  readonly truststorePath?: string
  readonly keystorePassword?: SecretReference
  readonly truststorePassword?: SecretReference
  readonly alias: string
  /** Kind of a generated key. */
  readonly keyType: 'ec' | 'rsa'
  /** Days that a generated leaf is valid. */
  readonly keyLifetime: number
  /** Days before expiry at which a leaf counts as expiring. */
  readonly warningDays: number
}

/** A user of the database servers; their passwords reach a host in its secrets file only. */
export type DatabaseAccount = { readonly user: string; readonly password: SecretReference }

/** The host's own database server, as seen from the host. */
export type DatabaseConfig = {
  readonly type: DatabaseType
  readonly host: string
  readonly port: number
  /** The first service that the host is a member of. */
  readonly service: string
  /** The replicator's; without it the replicator is given no database. */
  readonly account?: DatabaseAccount
}

/** A user of a host's APIs. */
export type UserConfig = {
  readonly user: string
  /** Where its password is given, or could be: `rest-api-admin-pass` or `rest-api-users.NAME`. */
  readonly option: string
  readonly password?: SecretReference
}

/** Service managers that a file can name. With `auto` the first one is chosen that can be used on the host. */
export const serviceManagerNames = ['systemd', 'process'] as const

export type ServiceManagerName = (typeof serviceManagerNames)[number]

/** Resources that each component of a host may use under systemd (systemd.resource-control(5)). */
export type ServiceLimits = {
  /** MiB. */
  readonly memoryMax: number
  readonly cpuWeight: number
  readonly tasksMax: number
  readonly oomScoreAdjust: number
}

/** One host with every option resolved: defaults, service, host and --set applied. */
export type HostConfig = {
  readonly name: string
  readonly address: string
  /** How the file says that it is reached; what is installed there depends on it. */
  readonly connection: 'ssh' | 'local'
  /** How it is reached in this run, where the command line says otherwise; what is installed stays the same. */
  readonly via?: 'ssh' | 'local'
  readonly ssh: SshConfig
  /** Names of the services that name it, in the order of the file. */
  readonly services: readonly string[]
  /** In the order manager, connector, replicator; never empty. */
  readonly apis: readonly ApiConfig[]
  /** The administrator first, then `rest-api-users` in the order of the file; each name once, in NFC. */
  readonly users: readonly UserConfig[]
  readonly tls: TlsConfig
  readonly remoteBootstrap: boolean
  /** From `rest-api-allowed-hosts`; the host's own names and addresses are added by the deployment. */
  readonly allowedHosts: readonly string[]
  /** Absolute. */
  readonly installDirectory: string
  /** System user of the services; absent: the cluster's own as root, the invoking user otherwise. */
  readonly user?: string
  readonly serviceManager: 'auto' | ServiceManagerName
  readonly runtime: 'auto' | 'host' | 'upload'
  readonly logLevel: LogLevel
  readonly limits: ServiceLimits
  /** Absent where the host has no replicator or the file names no database for it. */
  readonly database?: DatabaseConfig
  /** The manager's place: the first clustered service that has it as a member, else as a witness. */
  readonly member?: Membership
  /** Account of the manager's checks. */
  readonly monitor?: DatabaseAccount
  /** Where the connector takes clients of the database; absent where there is none to forward to. */
  readonly proxy?: ProxySettings
}

/** A whole installation: what one set of YAML files says after resolution. */
export type ClusterConfig = {
  readonly cluster: string
  /** Folder of the first YAML file; the state directory `.muster/<cluster>` lies in it. */
  readonly directory: string
  /** In the order of the file's `hosts`; only hosts that run a component. */
  readonly hosts: readonly HostConfig[]
  /** The services map that managers and connectors are installed with, the same on every host. */
  readonly services: readonly MapService[]
}

/** Whether a run reaches the host by a shell on this machine: what the command line says counts before the file. */
export const isReachedLocally = ({ connection, via = connection }: HostConfig): boolean => via === 'local'
