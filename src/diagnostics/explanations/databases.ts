import type { databaseEntries } from '../entries/databases.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const replicator = `datasource-type: mariadb
replication-user: muster
replication-password: !env REPLICATION_PASSWORD`
const complete = `${replicator}
monitor-user: muster_monitor
monitor-password: !env MONITOR_PASSWORD`

const indented = (text: string): string => text.replaceAll(/^/gm, '  ')

const threeHosts = (more: string): string => `cluster: alpha
defaults:
${indented(complete)}${more}
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1, db2, db3]
hosts: { db1: {}, db2: {}, db3: {} }`

const twoServices = (connector: string): string => `cluster: alpha
defaults:
${indented(complete)}
services:
  alpha: { topology: clustered,
           members: [db1], connectors: [app1] }
  beta: { topology: clustered,
          members: [db2], connectors: [${connector}] }
hosts: { db1: {}, db2: {}, app1: {} }`

/** Databases, the accounts for them, and the proxy before them. */
export const databaseExplanations = {
  'database-incomplete': {
    title: 'A database without an account, or an account without a database',
    about: [
      'Three options belong together for the replicator: `datasource-type`, `replication-user` and `replication-password`. If one is missing, the replicator has no database: it lists no services and answers operations with 409 `no-database`.',
      '',
      'Managers log in to the databases of their services with `monitor-user` and `monitor-password`, which can only read the state of replication. Without them the databases are not checked.',
      '',
      'Often the options are in `defaults:` and one of them was forgotten, or they are in one service but not in the other. You create the account itself; `muster plan` prints the SQL.',
    ],
    bad: smallFile({ defaults: 'replication-user: muster\nreplication-password: !env REPLICATION_PASSWORD' }),
    good: smallFile({ defaults: complete }),
    commands: `# the SQL that makes the accounts
muster explain replication-user
muster explain monitor-user`,
  },
  'same-database': {
    title: 'Two hosts with one database',
    about: [
      'The other hosts reach the database of a host at its `replication-host`, or at the address of the host if that is loopback. Two hosts of one service have the same address and port.',
      '',
      'Common causes: `replication-host` is a virtual address that moves between the hosts, or the hosts are reached through tunnels or are all this machine, so every address is 127.0.0.1. A data source must be one server, not the current owner of an address.',
    ],
    bad: threeHosts('\n  replication-host: 10.0.0.10'),
    good: threeHosts(''),
  },
  'connector-of-several': {
    title: 'A connector for the clients of several services',
    about: [
      'Database clients do not name a service; the port they connect to decides. A connector opens one `application-port` (and one `application-readonly-port`), so it can serve only one service.',
      '',
      'Give the other service a connector on another host. A host can be a connector of several services if only one of them has databases.',
    ],
    bad: twoServices('app1'),
    good: twoServices('db2'),
  },
} satisfies Record<keyof typeof databaseEntries, Explanation>
