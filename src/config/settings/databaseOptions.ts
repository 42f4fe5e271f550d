import { hostAddress } from '../types/addresses.ts'
import { portLike } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, databaseUser } from '../types/texts.ts'
import { setting } from './setting.ts'

const replicator = { scope: 'options', component: 'replicator' } as const
const manager = { scope: 'options', component: 'manager' } as const

/** The database server of a host and the accounts for it (options.md, "The options"). */
export const databaseOptions = {
  datasourceType: setting({
    ...replicator,
    name: 'datasource-type',
    type: choice(['mysql', 'mariadb']),
    documentation:
      'Type of the database server. It makes the host a data source of its clustered services; the replicator also needs replication-user and replication-password.',
  }),
  replicationUser: setting({
    ...replicator,
    name: 'replication-user',
    type: databaseUser('muster'),
    documentation: 'Database account that the replicator uses to control replication.',
  }),
  replicationPassword: setting({
    ...replicator,
    name: 'replication-password',
    secret: true,
    type: secretReference,
    documentation: 'Password of replication-user.',
  }),
  replicationHost: setting({
    ...replicator,
    name: 'replication-host',
    type: hostAddress,
    default: '127.0.0.1',
    documentation:
      "Address of the host's own database server, as seen from the host. Other hosts use it too, or the host's address if this is loopback.",
  }),
  replicationPort: setting({
    ...replicator,
    name: 'replication-port',
    type: portLike(3306),
    default: 3306,
    documentation: "TCP port of the host's own database server.",
  }),
  monitorUser: setting({
    ...manager,
    name: 'monitor-user',
    type: databaseUser('muster_monitor'),
    documentation: "Low-privilege database account for the manager's checks.",
  }),
  monitorPassword: setting({
    ...manager,
    name: 'monitor-password',
    secret: true,
    type: secretReference,
    documentation: 'Password of monitor-user.',
  }),
} as const
