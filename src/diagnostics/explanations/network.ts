import type { networkEntries } from '../entries/network.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const withConnector = 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [db1]'

/** Ports and who can reach them. */
export const networkExplanations = {
  'port-clash': {
    title: 'A port used twice on a host',
    about: [
      'muster compares all known listeners of a host: the enabled APIs, the ports of the proxy and the database. Two of them can share a port only at addresses that do not overlap; `0.0.0.0` overlaps every IPv4 address and `::` all of them.',
      '',
      'Often only one of the two is in the file, and the other is a default: 8090, 8096 and 8097 for the APIs of manager, connector and replicator, 3306 for the database, 9999 for the proxy.',
      '',
      'Other programs are not known here. `muster plan` checks on the host itself whether one of them uses the port.',
    ],
    bad: smallFile({ defaults: 'connector-rest-api-port: 8090', service: withConnector }),
    good: smallFile({ defaults: 'connector-rest-api-port: 18090', service: withConnector }),
    commands: `# on the host: what listens on the port
ss -ltnp 'sport = :8090'`,
  },
  'local-port-clash': {
    title: 'Two local hosts on the same ports',
    about: [
      'Hosts with `connection: local` are all this machine, so each port can be used by only one of them.',
      'Give each host its own ports, or its own loopback address, such as 127.0.0.2.',
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
      'Linux reserves these ports for root. As systemd services, the components are allowed to open them; as plain processes (`service-manager: process`) they run as an ordinary user, who is not.',
      '',
      'To serve an API on port 443, run it under systemd, or use a higher port and put a forwarding rule or a proxy in front.',
      'Do not run the services as root: an attacker who breaks into one of them would control the host.',
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
      'The API accepts connections from other machines, but there is no user to log in as. Such an API is useless until its first user is created by hand on the host.',
      '',
      'Set an administrator: without a password, one is generated, kept and shown once. Or keep the API on 127.0.0.1, which is the default.',
      'With `rest-api-remote-bootstrap: true` this is urgent, because the first machine that calls can create the first user.',
    ],
    bad: smallFile({ defaults: 'manager-rest-api-address: 0.0.0.0' }),
    good: smallFile({
      defaults: 'rest-api-admin-user: admin\nmanager-rest-api-address: 0.0.0.0',
    }),
  },
} satisfies Record<keyof typeof networkEntries, Explanation>
