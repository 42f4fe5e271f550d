import { logLevels } from '../../contracts/choices.ts'
import { wholeNumber } from '../types/scalars.ts'
import { choice, path, systemUser } from '../types/texts.ts'
import { serviceManagerNames } from './serviceManagerNames.ts'
import { setting } from './setting.ts'

const scope = 'options'

/** Installation of a host, and how its services run (options.md, "The options"). */
export const installationOptions = {
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
} as const

/** Limits of each component of a host under systemd (systemd.resource-control(5)). */
export const limitOptions = {
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
