import { outsideChanges } from '../../contracts/choices.ts'
import { switchLimits } from '../../contracts/serverOptions.ts'
import { hostAddress } from '../types/addresses.ts'
import { duration } from '../types/duration.ts'
import { portType } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, databaseUser, hostPath } from '../types/texts.ts'
import { setting, settingsOf } from './setting.ts'

const replicator = { scope: 'options', component: 'replicator' } as const
const manager = { scope: 'options', component: 'manager' } as const

/** Database server of a host and the replicator's account; members are named as in the settings of servers. */
export const databaseOptions = {
  type: setting({
    ...replicator,
    name: 'datasource-type',
    type: choice(['mysql', 'mariadb']),
  }),
  user: setting({
    ...replicator,
    name: 'replication-user',
    type: databaseUser('muster'),
  }),
  password: setting({
    ...replicator,
    name: 'replication-password',
    secret: true,
    type: secretReference,
  }),
  host: setting({
    ...replicator,
    name: 'replication-host',
    type: hostAddress,
    default: '127.0.0.1',
  }),
  port: setting({
    ...replicator,
    name: 'replication-port',
    type: portType(3306),
    default: 3306,
  }),
} as const

/** Account of the manager's checks and what it makes of them; members are named as in the settings of servers. */
export const monitorOptions = {
  user: setting({
    ...manager,
    name: 'monitor-user',
    type: databaseUser('muster_monitor'),
  }),
  password: setting({
    ...manager,
    name: 'monitor-password',
    secret: true,
    type: secretReference,
  }),
  onOutsideChange: setting({
    ...manager,
    name: 'on-outside-change',
    type: choice(outsideChanges),
    default: 'follow',
  }),
  maxReplicaLag: setting({
    ...manager,
    name: 'max-replica-lag',
    type: duration,
  }),
} as const

/** Authorities that prove the databases to the components that log in there. */
export const databaseAuthorityOption = setting({
  scope: 'options',
  name: 'database-tls-authority',
  type: hostPath,
})

/** Limits of a switch of the primary; members are named as in the settings of servers. */
export const switchOptions = settingsOf(switchLimits, manager)
