import { hostAddress } from '../types/addresses.ts'
import { portLike } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, databaseUser } from '../types/texts.ts'
import { setting } from './setting.ts'

const common = { scope: 'options', inert: true } as const

/** The database server of a host and the accounts for it (options.md, "The options"). */
export const databaseOptions = {
  datasourceType: setting({
    ...common,
    name: 'datasource-type',
    type: choice(['mysql', 'mariadb']),
    documentation: 'Kind of the database server.',
  }),
  replicationUser: setting({
    ...common,
    name: 'replication-user',
    type: databaseUser,
    documentation: 'Database account with which the replicator steers replication.',
  }),
  replicationPassword: setting({
    ...common,
    name: 'replication-password',
    secret: true,
    type: secretReference,
    documentation: 'Password of replication-user.',
  }),
  replicationHost: setting({
    ...common,
    name: 'replication-host',
    type: hostAddress,
    default: '127.0.0.1',
    documentation: "Where the host's own database server listens, as seen from the host.",
  }),
  replicationPort: setting({
    ...common,
    name: 'replication-port',
    type: portLike(3306),
    default: 3306,
    documentation: "TCP port of the host's own database server.",
  }),
  monitorUser: setting({
    ...common,
    name: 'monitor-user',
    type: databaseUser,
    documentation: "Low-privilege database account for the manager's checks.",
  }),
  monitorPassword: setting({
    ...common,
    name: 'monitor-password',
    secret: true,
    type: secretReference,
    documentation: 'Password of monitor-user.',
  }),
} as const
