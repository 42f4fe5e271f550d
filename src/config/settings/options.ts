import { components } from '../../contracts/component.ts'
import { logLevels } from '../../contracts/serverSettings.ts'
import { serviceManagerNames } from '../model.ts'
import { hostAddress } from '../types/addresses.ts'
import { listOfType } from '../types/list.ts'
import { boolean, days, wholeNumber } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, line, path, systemUser } from '../types/texts.ts'
import { apiOptions } from './apiOptions.ts'
import { connectorOptions } from './connectorOptions.ts'
import { databaseOptions } from './databaseOptions.ts'
import { type Setting, setting } from './setting.ts'
import { userOptions } from './userOptions.ts'

const scope = 'options'

const stores = {
  keystorePath: setting({
    name: 'java-tls-keystore-path',
    scope,
    type: path,
    documentation:
      'Existing keystore (PKCS#12 or JKS) on this machine, relative to the file, or host:/path on the host. Absent: generated.',
  }),
  truststorePath: setting({
    name: 'java-truststore-path',
    scope,
    type: path,
    documentation: 'Existing truststore, with the same forms of path. Absent: generated.',
  }),
  keystorePassword: setting({
    name: 'java-keystore-password',
    scope,
    secret: true,
    type: secretReference,
    documentation: 'Password of the keystore. Absent: generated with the stores.',
  }),
  truststorePassword: setting({
    name: 'java-truststore-password',
    scope,
    secret: true,
    type: secretReference,
    documentation: 'Password of the truststore. Absent: generated with the stores.',
  }),
  alias: setting({
    name: 'java-tls-alias',
    scope,
    type: line,
    default: 'tls',
    documentation: 'Name of the key in the keystore.',
  }),
  keyType: setting({
    name: 'java-tls-key-type',
    scope,
    type: choice(['ec', 'rsa']),
    default: 'ec',
    documentation:
      'Type of a generated key: ec is the curve P-256, rsa has 3072 bits, for clients that support nothing else.',
  }),
  keyLifetime: setting({
    name: 'java-tls-key-lifetime',
    scope,
    type: days,
    default: 365,
    documentation: 'Days that a generated certificate is valid.',
  }),
  warningDays: setting({
    name: 'tls-warning-days',
    scope,
    type: days,
    default: 30,
    documentation: 'Days before it expires at which a certificate is reported as expiring.',
  }),
} as const

const access = {
  remoteBootstrap: setting({
    name: 'rest-api-remote-bootstrap',
    scope,
    type: boolean,
    default: false,
    documentation: 'Whether another machine may create the first user of a host that has none.',
  }),
  allowedHosts: setting({
    name: 'rest-api-allowed-hosts',
    scope,
    type: listOfType(hostAddress, 'a list of host names and IP addresses, without ports'),
    default: [],
    documentation:
      'Additional names allowed in a Host header; the names and addresses of the host are always allowed.',
  }),
} as const

const service = {
  installDirectory: setting({
    name: 'install-directory',
    scope,
    type: path,
    default: '/opt/muster',
    documentation:
      'Absolute path of the folder that holds the installation; with connection: local it may be relative to the file.',
  }),
  user: setting({
    name: 'user',
    scope,
    type: systemUser,
    documentation:
      'System user that runs the services, created when absent. Absent: muster-<cluster> (an older installation keeps its own), or the invoking user without root.',
  }),
  serviceManager: setting({
    name: 'service-manager',
    scope,
    type: choice(['auto', ...serviceManagerNames]),
    default: 'auto',
    documentation:
      'What keeps the services running; auto uses systemd if it runs and the login has root. Processes do not survive a reboot: run `muster start` then, or have cron or a user unit do it (docs/guide/processes.md).',
  }),
  runtime: setting({
    name: 'runtime',
    scope,
    type: choice(['auto', 'host', 'upload']),
    default: 'auto',
    documentation:
      "Which Node.js runs the services: the host's own, an uploaded one, or (auto) the host's own if it is still maintained.",
  }),
  logLevel: setting({
    name: 'log-level',
    scope,
    type: choice(logLevels),
    default: 'info',
    documentation: 'How much the services log.',
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
    documentation: 'Maximum memory of each component in MiB, under systemd (MemoryMax=).',
  }),
  cpuWeight: setting({
    name: 'service-cpu-weight',
    scope,
    type: wholeNumber({ wants: 'a weight from 1 to 10000', example: '50', from: 1, to: 10_000 }),
    default: 50,
    documentation:
      "Each component's share of a busy processor under systemd (CPUWeight=); a database without one has 100.",
  }),
  tasksMax: setting({
    name: 'service-tasks-max',
    scope,
    type: wholeNumber({ wants: 'a number of threads from 32 to 32768', example: '64', from: 32, to: 32_768 }),
    default: 64,
    documentation: 'Maximum number of threads and processes of each component, under systemd (TasksMax=).',
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
    documentation:
      'How early the kernel kills a component when the host runs out of memory, under systemd (OOMScoreAdjust=); by default before the database.',
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

/** The options in the groups of the reference page. */
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

/** The same as a list, in the order of the reference page. */
export const allOptions: readonly Setting<unknown>[] = optionGroups.flatMap(({ settings }) => settings)
