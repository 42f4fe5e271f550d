import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { components } from './component.ts'
import { fieldErrors } from './fieldErrors.ts'
import { exact } from './schemaParts.ts'
import { databaseTypes, logLevels, type ServerSettings } from './serverSettings.ts'
import { ServicesMap } from './servicesMap.ts'

const text = Type.String({ minLength: 1 })
const absolutePath = Type.String({ pattern: '^/' })

const peer = { name: text, names: Type.Array(text, { minItems: 1 }) }

const Settings = Type.Object(
  {
    version: Type.Literal(1),
    cluster: text,
    host: text,
    component: Type.Enum([...components]),
    // Port 0 lets the system choose one; the log says which.
    listen: Type.Union([
      Type.Object({ address: text, port: Type.Integer({ minimum: 0, maximum: 65535 }) }, exact),
      Type.Null(),
    ]),
    socket: absolutePath,
    tls: Type.Object(
      { key: absolutePath, chain: absolutePath, authorities: Type.Optional(absolutePath) },
      exact,
    ),
    peers: Type.Optional(Type.Array(Type.Object(peer, exact), { minItems: 1 })),
    usersFile: absolutePath,
    auditFile: Type.Optional(absolutePath),
    allowedHosts: Type.Array(text),
    remoteBootstrap: Type.Boolean(),
    logLevel: Type.Enum([...logLevels]),
    log: Type.Optional(Type.Object({ file: absolutePath }, exact)),
    database: Type.Optional(
      Type.Object(
        {
          type: Type.Enum([...databaseTypes]),
          host: text,
          port: Type.Integer({ minimum: 1, maximum: 65535 }),
          user: text,
          service: text,
        },
        exact,
      ),
    ),
    secretsFile: Type.Optional(absolutePath),
    services: Type.Optional(ServicesMap),
    stateFile: Type.Optional(absolutePath),
    member: Type.Optional(
      Type.Object(
        { service: text, datasource: Type.Union([text, Type.Null()]), witness: Type.Boolean() },
        exact,
      ),
    ),
    monitor: Type.Optional(Type.Object({ user: text }, exact)),
    connectorSocket: Type.Optional(absolutePath),
    proxy: Type.Optional(
      Type.Object(
        {
          service: text,
          address: text,
          // Port 0 lets the system choose one.
          port: Type.Integer({ minimum: 0, maximum: 65535 }),
          readonlyPort: Type.Union([Type.Integer({ minimum: 0, maximum: 65535 }), Type.Null()]),
          maxHeld: Type.Integer({ minimum: 0 }),
          maxHold: Type.Integer({ minimum: 0 }),
          drainTimeout: Type.Integer({ minimum: 0 }),
        },
        exact,
      ),
    ),
    managerSocket: Type.Optional(absolutePath),
    managers: Type.Optional(
      Type.Array(
        Type.Object({ ...peer, address: text, port: Type.Integer({ minimum: 1, maximum: 65535 }) }, exact),
        { minItems: 1 },
      ),
    ),
    pidFile: Type.Optional(absolutePath),
    user: Type.Optional(text),
  },
  exact,
)

/** Returns which member is missing beside another one that needs it. */
function missingMember(settings: ServerSettings): string | undefined {
  const { database, monitor, secretsFile, services, stateFile, member, proxy, peers, managers, tls } =
    settings
  if ((peers || managers) && tls.authorities === undefined) {
    return '/tls/authorities is missing: it proves other hosts'
  }
  if ((database || monitor) && secretsFile === undefined) {
    return '/secretsFile is missing: it holds the password of the database'
  }
  if (services && stateFile === undefined) {
    return '/stateFile is missing: it keeps what calls change in the services map'
  }
  if ((monitor || proxy) && services === undefined) {
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
  if (Value.Check(Settings, value)) {
    const missing = missingMember(value)
    if (missing === undefined) return value
    throw new Error(missing)
  }
  const findings = Value.Errors(Settings, value)
    .filter(({ keyword }) => keyword !== 'boolean')
    .flatMap((finding) => fieldErrors(finding))
  // The finding deepest in the file says most: a union also complains at its own place.
  const depth = (path: string): number => path.split('/').length
  const first = findings.toSorted((a, b) => depth(b.path) - depth(a.path))[0]
  if (!first) throw new Error('it does not have the right shape')
  const message = first.message.replace('must match pattern "^/"', 'must be an absolute path')
  throw new Error(`${first.path || 'the file'} ${message}`)
}
