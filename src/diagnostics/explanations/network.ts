import type { networkEntries } from '../entries/network.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const withConnector = 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [db1]'

/** Ports and who can reach them. */
export const networkExplanations = {
  'port-clash': {
    title: 'One port taken twice on a host',
    about: [
      'All that is known to listen on a host is compared: the APIs that are switched on, the ports of the proxy and the database. Two of them on one port are fine only at addresses that do not overlap; `0.0.0.0` overlaps every IPv4 address and `::` all of them.',
      '',
      'Often only one of the two stands in the file, and the other is a default: 8090, 8096 and 8097 for the APIs of manager, connector and replicator, 3306 for the database, 9999 for the proxy.',
      '',
      'Programs that have nothing to do with muster are not known here. Whether one of them holds the port is seen by `muster plan`, on the host itself.',
    ],
    bad: smallFile({ defaults: 'connector-rest-api-port: 8090', service: withConnector }),
    good: smallFile({ defaults: 'connector-rest-api-port: 18090', service: withConnector }),
    commands: `# on the host: what listens on the port
ss -ltnp 'sport = :8090'`,
  },
  'local-port-clash': {
    title: 'Two local hosts on the same ports',
    about: [
      'Hosts with `connection: local` are all this machine, so the ports of one are taken for the others.',
      'Give each its own, or its own loopback address: 127.0.0.2 is as good as 127.0.0.1.',
    ],
    bad: `cluster: alpha
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1]
  beta: { topology: clustered, members: [db2] }
hosts:
  db1:
    connection: local
    options: { install-directory: run/db1 }
  db2:
    connection: local
    options: { install-directory: run/db2 }`,
    good: `cluster: alpha
services:
  alpha: { topology: clustered, members: [db1] }
  beta: { topology: clustered, members: [db2] }
hosts:
  db1:
    connection: local
    options: { install-directory: run/db1 }
  db2:
    connection: local
    options:
      install-directory: run/db2
      manager-rest-api-port: 18090
      replicator-rest-api-port: 18097`,
  },
  'privileged-port': {
    title: 'A port below 1024 without the right to open it',
    about: [
      'Linux keeps these ports for root. As systemd services the components are given the right to open theirs; as bare processes (`service-manager: process`) they run as an ordinary user and have no such right.',
      '',
      'To offer an API on port 443 all the same, run it under systemd, or leave its port high and put a forwarding rule or a proxy in front.',
      'Running the services as root would work too. Do not: whoever breaks into one of them then owns the host.',
    ],
    bad: smallFile({
      defaults: 'service-manager: process\nmanager-rest-api-port: 443',
    }),
    good: smallFile({
      defaults: 'service-manager: systemd\nmanager-rest-api-port: 443',
    }),
  },
  'open-without-admin': {
    title: 'An API open to the network without an administrator',
    about: [
      'The API answers other machines, but there is no user who could log in. Such an API is of use to nobody until its first user is made by hand on the host, and a forgotten one stays in that state.',
      '',
      'Name an administrator: without a password one is made, kept and shown once. Or keep the API on 127.0.0.1, which is the default.',
      'With `rest-api-remote-bootstrap: true` it becomes urgent, for then the first machine that calls makes the first user.',
    ],
    bad: smallFile({ defaults: 'manager-rest-api-address: 0.0.0.0' }),
    good: smallFile({
      defaults: 'rest-api-admin-user: admin\nmanager-rest-api-address: 0.0.0.0',
    }),
  },
} satisfies Record<keyof typeof networkEntries, Explanation>
