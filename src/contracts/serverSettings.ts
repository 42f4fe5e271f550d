import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { databaseTypes, logLevels, outsideChanges } from './choices.ts'
import { components } from './component.ts'
import { fieldErrors } from './fieldErrors.ts'
import { exact, type ReadonlyStatic } from './schemaParts.ts'
import { connectorLimits, type ServerOptions, switchLimits } from './serverOptions.ts'
import { ServicesMap } from './servicesMap.ts'

const text = Type.String({ minLength: 1 })
const absolutePath = Type.String({ pattern: '^/' })
/** Port 0 lets the system choose one; the log says which. */
const listenPort = Type.Integer({ minimum: 0, maximum: 65535 })
const count = Type.Integer({ minimum: 0 })
const milliseconds = Type.Integer({ minimum: 0 })

const kinds = { duration: milliseconds, count, boolean: Type.Boolean(), networks: Type.Array(text) } as const

/** Returns the schemas of the members that options give. */
const membersOf = <Options extends ServerOptions>(options: Options) =>
  Object.fromEntries(Object.entries(options).map(([member, { kind }]) => [member, kinds[kind]])) as {
    readonly [Member in keyof Options]: (typeof kinds)[Options[Member]['kind']]
  }

/** The host's own database server, as the replicator reaches it; members are named as in `databaseOptions`. */
const DatabaseSettings = Type.Object(
  {
    type: Type.Enum([...databaseTypes]),
    host: text,
    port: Type.Integer({ minimum: 1, maximum: 65535 }),
    user: text,
    /** Name of the data service that the host is a member of: what a replication channel without a name is called. */
    service: text,
  },
  exact,
)

/** Address and limits of the connector for clients of the database; members are named as in `connectorOptions`. */
const ProxySettings = Type.Object(
  {
    /** The service of the map that it serves. */
    service: text,
    address: text,
    /** To the primary. */
    port: listenPort,
    /** To the replicas; null: off. */
    readonlyPort: Type.Union([listenPort, Type.Null()]),
    ...membersOf(connectorLimits),
  },
  exact,
)

/** The manager's checks of data sources; members are named as in `monitorOptions`. */
const MonitorSettings = Type.Object(
  {
    user: text,
    onOutsideChange: Type.Enum([...outsideChanges]),
    /** Replicas that are further behind take no reads; null: off. */
    maxReplicaLag: Type.Union([milliseconds, Type.Null()]),
  },
  exact,
)

/** Account and limits of a switch of the primary; members are named as in `switchOptions`. */
const SwitchSettings = Type.Object(
  {
    /** User of the host's replication account; its password is the secret `replication-password`. */
    user: text,
    ...membersOf(switchLimits),
    /** Shortest time that a connector of the service holds a client. */
    maxHold: milliseconds,
  },
  exact,
)

/** The service that a manager's host takes part in, and how. */
const Membership = Type.Object(
  {
    service: text,
    /** The host's own data source; null where it has none. */
    datasource: Type.Union([text, Type.Null()]),
    /** True if it is one of the service's `witnesses`. */
    witness: Type.Boolean(),
  },
  exact,
)

const names = Type.Array(text, { minItems: 1 })

/** A host of the cluster; its certificate has one of the names, which may be addresses. */
const PeerHost = Type.Object(
  {
    name: text,
    names,
    /** Set for one with a database and a manager: it may lead a switch, and then let clients of other hosts wait. */
    leads: Type.Optional(Type.Literal(true)),
  },
  exact,
)

/** Proof that the certificates of database servers have to give before a component logs in. */
const DatabaseProof = Type.Object(
  {
    /** PEM file of the authorities that sign them. */
    authorities: absolutePath,
    /** Names and addresses of the host's own server, one of which its certificate has. */
    ownNames: names,
  },
  exact,
)

const Place = Type.Object({ address: text, port: listenPort }, exact)

/** Where another host reaches a listener. */
const reached = { address: text, port: Type.Integer({ minimum: 1, maximum: 65535 }) }

/** A manager as another host reaches its channel; the first name is the one of the TLS handshake. */
const FollowedManager = Type.Object({ name: text, names, ...reached }, exact)

/** A host of the cluster as the dashboard of a manager shows it, and how it reaches its APIs. */
const DashboardHost = Type.Object(
  {
    name: text,
    address: text,
    /** Names of its certificate. */
    names,
    /** Where its manager takes calls of other hosts; absent without one. */
    channel: Type.Optional(Type.Object(reached, exact)),
    /** In the order of `components`; `listen` is null for an API that other hosts cannot reach. */
    apis: Type.Array(
      Type.Object(
        {
          component: Type.Enum([...components]),
          listen: Type.Union([Type.Object(reached, exact), Type.Null()]),
        },
        exact,
      ),
    ),
    /** Days before its end from which its certificate is a problem. */
    certificateWarningDays: count,
    /** Where its connector takes clients of the database. */
    clients: Type.Optional(
      Type.Object({ service: text, readWrite: text, readOnly: Type.Union([text, Type.Null()]) }, exact),
    ),
  },
  exact,
)

/**
 * Content of the file of `muster-api serve --settings FILE`: one JSON file per component and host, written by a
 * deployment. All paths are absolute paths on the host. It holds no secret.
 */
const ServerSettings = Type.Object(
  {
    version: Type.Literal(1),
    cluster: text,
    host: text,
    component: Type.Enum([...components]),
    /** TCP listener of the API; null when `<component>-rest-api` is false: the Unix socket stays. */
    listen: Type.Union([Place, Type.Null()]),
    /** Unix socket that only the service user and root can open. */
    socket: absolutePath,
    /** PEM files: the private key, the leaf followed by its authority, and the authorities that prove other hosts. */
    tls: Type.Object(
      { key: absolutePath, chain: absolutePath, authorities: Type.Optional(absolutePath) },
      exact,
    ),
    /** TCP listener of a manager for hosts of the cluster alone, which their certificates prove. */
    channel: Type.Optional(Place),
    /** Hosts that may use the channel; required with it. */
    peers: Type.Optional(Type.Array(PeerHost, { minItems: 1 })),
    /** The host's one user file, shared by the three components. */
    usersFile: absolutePath,
    /** Audit log of the calls that change something; without it there is none, and the server says so. */
    auditFile: Type.Optional(absolutePath),
    /** Names and addresses that a Host header may carry, without port. */
    allowedHosts: Type.Array(text),
    /** True if callers beyond loopback may create the first user (contract.md, "Unauthenticated bootstrap"). */
    remoteBootstrap: Type.Boolean(),
    logLevel: Type.Enum([...logLevels]),
    /** File that the component opens itself, after it gave root up, and rotates; without it the log goes to standard output. */
    log: Type.Optional(Type.Object({ file: absolutePath }, exact)),
    /** Absent where the options name no database. */
    database: Type.Optional(DatabaseSettings),
    /** Absent where servers need not prove themselves: connections to them are not encrypted. Manager and replicator. */
    databaseProof: Type.Optional(DatabaseProof),
    /** File of passwords, for the service user alone: a JSON object by option, such as `replication-password`. */
    secretsFile: Type.Optional(absolutePath),
    /** The services map that the host is installed with; manager and connector. */
    services: Type.Optional(ServicesMap),
    /** State file of a component, with what calls changed; required with `services`. */
    stateFile: Type.Optional(absolutePath),
    /** The host's place, where it runs a manager. */
    member: Type.Optional(Membership),
    /** Account of the manager's checks and what it makes of them; its password is the secret `monitor-password`. */
    monitor: Type.Optional(MonitorSettings),
    /** Account and limits of switches; absent where it has no account for it. */
    switching: Type.Optional(SwitchSettings),
    /** Unix socket of the connector of this host, where it has one; manager. */
    connectorSocket: Type.Optional(absolutePath),
    /** Unix socket of the replicator of this host, where it has one; manager. */
    replicatorSocket: Type.Optional(absolutePath),
    /** Hosts of the cluster in the order of the file, this one included; absent where the manager shows no dashboard. */
    dashboard: Type.Optional(Type.Array(DashboardHost, { minItems: 1 })),
    /** Absent where there is no database to forward to; connector. */
    proxy: Type.Optional(ProxySettings),
    /** Unix socket of the manager of this host, where it has one: then the connector follows its map. */
    managerSocket: Type.Optional(absolutePath),
    /**
     * In the order of the file: managers that a connector follows whose host has none, or the other ones of the service
     * of a manager with `switching`.
     */
    managers: Type.Optional(Type.Array(FollowedManager, { minItems: 1 })),
    /** Pid file of a detached process; absent under systemd. */
    pidFile: Type.Optional(absolutePath),
    /** System user to become when started as root without systemd. */
    user: Type.Optional(text),
  },
  exact,
)

export type DatabaseSettings = ReadonlyStatic<typeof DatabaseSettings>
export type ProxySettings = ReadonlyStatic<typeof ProxySettings>
/** How a connector treats clients and data sources; its ports and managers left out. */
export type ProxyLimits = Omit<ProxySettings, 'address' | 'port' | 'readonlyPort' | 'managerTimeout'>
export type MonitorSettings = ReadonlyStatic<typeof MonitorSettings>
export type SwitchSettings = ReadonlyStatic<typeof SwitchSettings>
export type Membership = ReadonlyStatic<typeof Membership>
export type DashboardHost = ReadonlyStatic<typeof DashboardHost>
export type PeerHost = ReadonlyStatic<typeof PeerHost>
export type FollowedManager = ReadonlyStatic<typeof FollowedManager>
export type ServerSettings = ReadonlyStatic<typeof ServerSettings>

/** Returns which member is missing beside another one that needs it. */
function missingMember(settings: ServerSettings): string | undefined {
  const { database, monitor, switching, secretsFile, services, stateFile, member, proxy } = settings
  const { channel, peers, managers, tls } = settings
  if ((channel === undefined) !== (peers === undefined)) {
    return `/${channel ? 'peers' : 'channel'} is missing: a channel is for the hosts that may use it`
  }
  if ((peers || managers) && tls.authorities === undefined) {
    return '/tls/authorities is missing: it proves other hosts'
  }
  if ((database || monitor || switching) && secretsFile === undefined) {
    return '/secretsFile is missing: it holds the password of the database'
  }
  if (services && stateFile === undefined) {
    return '/stateFile is missing: it keeps what calls change in the services map'
  }
  if ((monitor || proxy || switching) && services === undefined) {
    return '/services is missing: it names the data sources'
  }
  if (settings.component === 'manager' && services && member === undefined) {
    return '/member is missing: it names the service of this host'
  }
  return undefined
}

/**
 * Reads the text of a settings file. Throws an Error whose message is one sentence for a person: what is
 * wrong and, where it has a place, at which member.
 */
export function readServerSettings(content: string): ServerSettings {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (error) {
    // The parser quotes what it could not read, which may be a file of somebody else.
    const place = /at position \d+/.exec(error instanceof Error ? error.message : '')?.[0]
    throw new Error(`it is not JSON${place === undefined ? '' : `: the fault is ${place}`}`)
  }
  if (Value.Check(ServerSettings, value)) {
    const missing = missingMember(value)
    if (missing === undefined) return value
    throw new Error(missing)
  }
  const findings = Value.Errors(ServerSettings, value)
    .filter(({ keyword }) => keyword !== 'boolean')
    .flatMap((finding) => fieldErrors(finding))
  // The finding deepest in the file says most: a union also complains at its own place.
  const depth = (path: string): number => path.split('/').length
  const first = findings.toSorted((a, b) => depth(b.path) - depth(a.path))[0]
  if (!first) throw new Error('it does not have the right shape')
  const message = first.message.replace('must match pattern "^/"', 'must be an absolute path')
  throw new Error(`${first.path || 'the file'} ${message}`)
}
