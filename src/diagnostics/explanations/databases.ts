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
      'Three options belong together for the replicator: `datasource-type`, `replication-user` and `replication-password`. Where one is missing, it is handed no database: it lists no services, and what it is told to do it answers with 409 `no-database`.',
      '',
      'Managers log in to the databases of their services with `monitor-user` and `monitor-password`, which may do nothing but look at the state of replication. Without them nobody checks whether a database still answers.',
      '',
      'Most often the options stand in `defaults:` and one of them was forgotten, or they stand in one service and not in the other. The account itself is made by you; `muster plan` prints the SQL.',
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
      'The other hosts reach the database of a host at its `replication-host`, or at the address of the host where that is loopback. Two hosts of one service came out at the same address and port.',
      '',
      'It happens with a virtual address in `replication-host` that moves between the hosts, and with hosts that are reached through tunnels or are all this machine, where every address is 127.0.0.1. A data source must be the server itself, not whoever has an address at the moment.',
    ],
    bad: threeHosts('\n  replication-host: 10.0.0.10'),
    good: threeHosts(''),
  },
  'connector-of-several': {
    title: 'A connector for the clients of several services',
    about: [
      'Clients of a database say nothing of the service that they want; the port they connect to decides. A connector opens one `application-port` (and one `application-readonly-port`), so it can lead to the primary of one service.',
      '',
      'Give the other service a connector on another host. A host may well be a connector of several services as long as only one of them has databases.',
    ],
    bad: twoServices('app1'),
    good: twoServices('db2'),
  },
} satisfies Record<keyof typeof databaseEntries, Explanation>
