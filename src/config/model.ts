import type { AccessLevel } from '../contracts/accessLevels.ts'
import type { DatabaseType } from '../contracts/choices.ts'
import type { Component } from '../contracts/component.ts'
import type {
  DashboardHost,
  FollowedManager,
  Membership,
  MonitorSettings,
  PeerHost,
  ProxySettings,
  SwitchSettings,
} from '../contracts/serverSettings.ts'
import type { MapService } from '../contracts/servicesMap.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { accessOptions } from './settings/accessOptions.ts'
import type { apiOptions } from './settings/apiOptions.ts'
import type { certificateOptions } from './settings/certificateOptions.ts'
import type { databaseOptions, monitorOptions } from './settings/databaseOptions.ts'
import type { HookName, hookLimits } from './settings/hooks.ts'
import type { installationOptions, limitOptions } from './settings/installationOptions.ts'
import type { ValuesOf } from './settings/setting.ts'
import type { WebhookEntry } from './settings/webhooks.ts'
import type { Program } from './types/program.ts'

/** SSH settings of a host (options.md, "`ssh` keys"). Paths are absolute. */
export type SshConfig = {
  readonly transport: 'auto' | 'builtin' | 'openssh'
  /** Absent members: from ssh_config; else the invoking user. */
  readonly user?: string
  readonly port?: number
  /** Private key file; final default: the agent, then the usual keys of ~/.ssh. */
  readonly identity?: string
  /** Final default: ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts. */
  readonly knownHosts?: string
  /** Pinned fingerprint, `SHA256:…`; if given, known_hosts is not used. */
  readonly hostKey?: string
  /** Jump hosts in this order, each as `[user@]host[:port]`, or `none` alone. */
  readonly jump?: readonly string[]
  /** File of ssh_config(5); absent: the files that ssh itself reads. */
  readonly config?: string
  /** Run everything through sudo. */
  readonly become: boolean
  /** For sudo; `ask`: prompt for it. */
  readonly becomePassword?: SecretReference | 'ask'
  /** Milliseconds until connecting fails. */
  readonly timeout?: number
}

/** API of one component on one host. If it is not enabled, the component runs without its TCP listener. */
export type ApiConfig = { readonly component: Component } & ValuesOf<(typeof apiOptions)[Component]>

/** The stores of a host; without paths they are generated. Paths are absolute, or `host:/path`. */
export type TlsConfig = ValuesOf<typeof certificateOptions> & {
  readonly keystorePath?: string
  readonly truststorePath?: string
  readonly keystorePassword?: SecretReference
  readonly truststorePassword?: SecretReference
}

/** A user of the database servers; passwords reach a host only in its secrets file. */
export type DatabaseAccount = { readonly user: string; readonly password: SecretReference }

/** The host's own database server, as seen from the host. */
export type DatabaseConfig = ValuesOf<typeof databaseOptions> & {
  readonly type: DatabaseType
  /** The first service with the host as a member. */
  readonly service: string
  /** Account of the replicator; without it the replicator has no database. */
  readonly account?: DatabaseAccount
}

/** The manager's checks of databases. */
export type MonitorConfig = ValuesOf<typeof monitorOptions> &
  DatabaseAccount &
  Pick<MonitorSettings, 'maxReplicaLag'>

/** Listener of a manager for other hosts of the cluster, and who they are. */
export type ChannelConfig = {
  readonly address: string
  readonly port: number
  readonly peers: readonly PeerHost[]
}

/** A user of a host's APIs. */
export type UserConfig = {
  readonly user: string
  /** Option of its password, also without a value: `rest-api-admin-pass` or `rest-api-users.NAME`. */
  readonly option: string
  readonly access: AccessLevel
  readonly password?: SecretReference
}

/** Limits of each component of a host under systemd (systemd.resource-control(5)). */
export type ServiceLimits = ValuesOf<typeof limitOptions>

/** Options that need no more than their value, such as `logLevel`. */
type PlainOptions = Omit<ValuesOf<typeof accessOptions>, 'allowedHosts'> &
  ValuesOf<typeof installationOptions>

/** A host with every option resolved: defaults, service, host and --set. Paths are absolute. */
export type HostConfig = PlainOptions & {
  readonly name: string
  readonly address: string
  /** Connection that the file gives; what is installed depends on it. */
  readonly connection: 'ssh' | 'local'
  /** Connection of this run, if the command line overrides it; what is installed stays the same. */
  readonly via?: 'ssh' | 'local'
  readonly ssh: SshConfig
  /** Names of its services, in the order of the file. */
  readonly services: readonly string[]
  /** In the order manager, connector, replicator; never empty. */
  readonly apis: readonly ApiConfig[]
  /** The administrator first, then `rest-api-users` in the order of the file; each name once, in NFC. */
  readonly users: readonly UserConfig[]
  readonly tls: TlsConfig
  /** From `rest-api-allowed-hosts`; the deployment adds the host's own names and addresses. */
  readonly allowedHosts: readonly string[]
  /** System user of the services; absent: the cluster's own for root, else the invoking user. */
  readonly user?: string
  readonly limits: ServiceLimits
  /** Absent if the host has no replicator or no database. */
  readonly database?: DatabaseConfig
  /** Absolute path of a PEM file on the host; absent: databases need not prove themselves. */
  readonly databaseAuthority?: string
  /** Role of the manager: in the first clustered service with the host as a member, else as a witness. */
  readonly member?: Membership
  /** Absent if the host has no manager or no account for its checks. */
  readonly monitor?: MonitorConfig
  /** Account and limits of switches of its manager; absent without a manager or an account for it. */
  readonly switching?: SwitchSettings
  /** Listeners of the connector for database clients; absent if it has no service to forward to. */
  readonly proxy?: ProxySettings
  /** Managers that the connector follows; absent if the host has its own manager, or nothing to follow. */
  readonly managers?: readonly FollowedManager[]
  /** Managers of its service beside its own one, which take part in a switch; absent without `switching`. */
  readonly otherManagers?: readonly FollowedManager[]
  /** Listener of its manager for other hosts; absent without such hosts. */
  readonly channel?: ChannelConfig
  /** Hosts of the cluster, this one included, as its manager reaches and shows them; absent without a dashboard. */
  readonly dashboard?: readonly DashboardHost[]
}

/** A program of `hooks`. */
export type HookProgram = {
  readonly command: Program
  /** Absolute folder of the YAML file; the program starts there. */
  readonly directory: string
  /** `file:line:column`. */
  readonly place: string
}

/** Programs that run at moments of a run. */
export type HooksConfig = ValuesOf<Pick<typeof hookLimits, 'timeout'>> & {
  readonly programs: Readonly<Partial<Record<HookName, HookProgram>>>
  /** Names of further environment variables. */
  readonly environment: readonly string[]
}

/** A webhook of `notify`; its secrets are read when it is called. */
export type WebhookConfig = Pick<WebhookEntry, 'on'> & {
  readonly url: SecretReference
  readonly template?: SecretReference
  readonly header?: { readonly name: string; readonly value: SecretReference }
  /** Absolute path of the certificate of the only trusted authority. */
  readonly ca?: string
  /** `file:line:column`. */
  readonly place: string
}

/** An installation: the resolved contents of one set of YAML files. */
export type ClusterConfig = {
  readonly cluster: string
  /** Folder of the first YAML file and of the state directory `.muster/<cluster>`. */
  readonly directory: string
  /** In the order of the file's `hosts`; only hosts with a component. */
  readonly hosts: readonly HostConfig[]
  /** The services map for managers and connectors, equal on every host. */
  readonly services: readonly MapService[]
  /** Absent: the file has none. */
  readonly hooks?: HooksConfig
  /** Absent: the file has none. */
  readonly notify?: readonly WebhookConfig[]
}

/** Returns true if this run uses a shell on this machine; the command line overrides the file. */
export const isReachedLocally = ({
  connection,
  via = connection,
}: Pick<HostConfig, 'connection' | 'via'>): boolean => via === 'local'

/** Returns true if a component of a host proves itself to other hosts, or lets them prove themselves. */
export const needsAuthorities = (host: Pick<HostConfig, 'channel' | 'managers' | 'otherManagers'>): boolean =>
  host.channel !== undefined || host.managers !== undefined || (host.otherManagers?.length ?? 0) > 0
