import { components } from '../../contracts/component.ts'
import { logLevels } from '../../contracts/choices.ts'
import { serviceManagerNames } from '../model.ts'
import { hostAddress } from '../types/addresses.ts'
import { listOfType } from '../types/listTypes.ts'
import { boolean, days, wholeNumber } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, line, path, systemUser, userName } from '../types/texts.ts'
import { apiOptions } from './apiOptions.ts'
import { connectorOptions } from './connectorOptions.ts'
import { databaseOptions } from './databaseOptions.ts'
import { secretMap } from './secretMap.ts'
import { type Setting, setting } from './setting.ts'

const usersScope = 'options'

/** Setting for each password in the map of users; no option of its own. */
const each = setting({
  name: 'rest-api-users',
  scope: usersScope,
  secret: true,
  type: secretReference,
})

/** Users of the APIs of a host (options.md, "The options"). */
export const userOptions = {
  adminUser: setting({
    name: 'rest-api-admin-user',
    scope: usersScope,
    type: userName,
  }),
  adminPass: setting({
    name: 'rest-api-admin-pass',
    scope: usersScope,
    aliases: ['rest-api-admin-password'],
    secret: true,
    type: secretReference,
  }),
  users: setting({
    name: 'rest-api-users',
    scope: usersScope,
    secret: true,
    type: secretMap({
      each,
      wants: 'a group of user names, each with a password, a reference to one, or nothing',
      example: '{ ops: !env OPS_PASS }',
    }),
  }),
} as const

const scope = 'options'

const stores = {
  keystorePath: setting({
    name: 'java-tls-keystore-path',
    scope,
    type: path,
  }),
  truststorePath: setting({
    name: 'java-truststore-path',
    scope,
    type: path,
  }),
  keystorePassword: setting({
    name: 'java-keystore-password',
    scope,
    secret: true,
    type: secretReference,
  }),
  truststorePassword: setting({
    name: 'java-truststore-password',
    scope,
    secret: true,
    type: secretReference,
  }),
  alias: setting({
    name: 'java-tls-alias',
    scope,
    type: line,
    default: 'tls',
  }),
  keyType: setting({
    name: 'java-tls-key-type',
    scope,
    type: choice(['ec', 'rsa']),
    default: 'ec',
  }),
  keyLifetime: setting({
    name: 'java-tls-key-lifetime',
    scope,
    type: days,
    default: 365,
  }),
  warningDays: setting({
    name: 'tls-warning-days',
    scope,
    type: days,
    default: 30,
  }),
} as const

const access = {
  remoteBootstrap: setting({
    name: 'rest-api-remote-bootstrap',
    scope,
    type: boolean,
    default: false,
  }),
  allowedHosts: setting({
    name: 'rest-api-allowed-hosts',
    scope,
    type: listOfType(hostAddress, 'a list of host names and IP addresses, without ports'),
    default: [],
  }),
} as const

const service = {
  installDirectory: setting({
    name: 'install-directory',
    scope,
    type: path,
    default: '/opt/muster',
  }),
  user: setting({
    name: 'user',
    scope,
    type: systemUser,
  }),
  serviceManager: setting({
    name: 'service-manager',
    scope,
    type: choice(['auto', ...serviceManagerNames]),
    default: 'auto',
  }),
  runtime: setting({
    name: 'runtime',
    scope,
    type: choice(['auto', 'host', 'upload']),
    default: 'auto',
  }),
  logLevel: setting({
    name: 'log-level',
    scope,
    type: choice(logLevels),
    default: 'info',
  }),
  memoryMax: setting({
    name: 'service-memory-max',
    scope,
    type: wholeNumber({
      wants: 'a number of MiB from 128 to 1048576',
      example: '1024',
      from: 128,
      to: 1_048_576,
    }),
    default: 1024,
  }),
  cpuWeight: setting({
    name: 'service-cpu-weight',
    scope,
    type: wholeNumber({ wants: 'a weight from 1 to 10000', example: '50', from: 1, to: 10_000 }),
    default: 50,
  }),
  tasksMax: setting({
    name: 'service-tasks-max',
    scope,
    type: wholeNumber({ wants: 'a number of threads from 32 to 32768', example: '64', from: 32, to: 32_768 }),
    default: 64,
  }),
  oomScoreAdjust: setting({
    name: 'service-oom-score-adjust',
    scope,
    type: wholeNumber({
      wants: 'a number from 0 to 1000',
      example: '300',
      from: 0,
      to: 1000,
    }),
    default: 300,
  }),
} as const

/** Every option of `defaults` and `options` (options.md, "The options"). */
export const options = {
  api: apiOptions,
  ...userOptions,
  ...stores,
  ...access,
  ...service,
  ...databaseOptions,
  ...connectorOptions,
} as const

/** Options by group of the reference page. */
export const optionGroups: readonly {
  readonly title: string
  readonly settings: readonly Setting<unknown>[]
}[] = [
  { title: 'APIs', settings: components.flatMap((component) => Object.values(apiOptions[component])) },
  { title: 'Users', settings: Object.values(userOptions) },
  { title: 'Certificates', settings: Object.values(stores) },
  { title: 'Access', settings: Object.values(access) },
  { title: 'Installation', settings: Object.values(service) },
  { title: 'Database', settings: Object.values(databaseOptions) },
  { title: 'Connector', settings: Object.values(connectorOptions) },
]

/** Options in the order of the reference page. */
export const allOptions: readonly Setting<unknown>[] = optionGroups.flatMap(({ settings }) => settings)
