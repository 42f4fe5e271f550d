import { hostAddress } from '../types/addresses.ts'
import { portType } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, databaseUser } from '../types/texts.ts'
import { setting } from './setting.ts'

const replicator = { scope: 'options', component: 'replicator' } as const
const manager = { scope: 'options', component: 'manager' } as const

/** Database server of a host and its accounts (options.md, "The options"). */
export const databaseOptions = {
  datasourceType: setting({
    ...replicator,
    name: 'datasource-type',
    type: choice(['mysql', 'mariadb']),
  }),
  replicationUser: setting({
    ...replicator,
    name: 'replication-user',
    type: databaseUser('muster'),
  }),
  replicationPassword: setting({
    ...replicator,
    name: 'replication-password',
    secret: true,
    type: secretReference,
  }),
  replicationHost: setting({
    ...replicator,
    name: 'replication-host',
    type: hostAddress,
    default: '127.0.0.1',
  }),
  replicationPort: setting({
    ...replicator,
    name: 'replication-port',
    type: portType(3306),
    default: 3306,
  }),
  monitorUser: setting({
    ...manager,
    name: 'monitor-user',
    type: databaseUser('muster_monitor'),
  }),
  monitorPassword: setting({
    ...manager,
    name: 'monitor-password',
    secret: true,
    type: secretReference,
  }),
} as const
