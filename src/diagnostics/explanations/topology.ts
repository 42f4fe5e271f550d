import type { topologyEntries } from '../entries/topology.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const hosts = (...names: readonly string[]): string =>
  names.map((name, index) => `${name}: { address: 10.0.0.1${index + 1} }`).join('\n')

const three = hosts('db1', 'db2', 'db3')

const twoServices = (options: {
  readonly host: string
  readonly beta: readonly string[]
}): string => `cluster: alpha
services:
  alpha:
    topology: clustered
    members: [db1]
  beta:
${options.beta.map((line) => `    ${line}`).join('\n')}
hosts:
${options.host}`

/** Services and who belongs to them. */
export const topologyExplanations = {
  'unknown-host': {
    title: 'A host of a service that is not under hosts',
    about: [
      'Services name hosts; `hosts:` defines each of them and how to reach it. A host in one place only would not be installed.',
      '',
      'Other causes than misspellings: a host was renamed or removed in one of the two places, or the file with the hosts is missing on the command line: pass all files.',
      'Each unknown host is reported once, where it is first named.',
    ],
    bad: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [app1]' }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [app1]',
      hosts: hosts('db1', 'app1'),
    }),
  },
  'unused-host': {
    title: 'A host that belongs to no service',
    about: [
      'muster neither connects to this host nor installs anything there.',
      'This may be intended, for a machine that is being prepared. Then add a `muster-ignore` comment.',
      '',
      'If the host was removed from its service, nothing was uninstalled: components from an earlier install still run there.',
    ],
    bad: smallFile({ hosts: hosts('db1', 'db2') }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [db2]',
      hosts: hosts('db1', 'db2'),
    }),
  },
  'named-twice': {
    title: 'A host listed twice',
    about: [
      'The second entry has no effect, so another host was probably meant. Then that host is missing from the list.',
      'Compare the entries with the machines that you have.',
    ],
    bad: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2, db3, db2]',
      hosts: three,
    }),
    good: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2, db3]', hosts: three }),
  },
  'master-not-member': {
    title: 'The master is not among the members',
    about: [
      'The master is one of the members: the one whose database takes the writes, from which the others copy.',
      '',
      'The usual cause is a member that was replaced or renamed while `master:` kept the old name.',
      'Before you change the master, check which database has the latest data. This line does not move data.',
    ],
    bad: smallFile({ service: 'topology: clustered\nmaster: db9\nmembers: [db1, db2, db3]', hosts: three }),
    good: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2, db3]', hosts: three }),
  },
  'master-missing': {
    title: 'Several members and no master',
    about: [
      'With one member, its database takes the writes. With two or more, you must say which, because the first in a list is not always right.',
      '',
      'Services with `topology: replicator` need no master.',
    ],
    bad: smallFile({ service: 'topology: clustered\nmembers: [db1, db2, db3]', hosts: three }),
    good: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2, db3]', hosts: three }),
    commands: `# on a host: empty if the database is not a replica
mysql -e 'SHOW REPLICA STATUS\\G'`,
  },
  'even-managers': {
    title: 'An even number of managers without a witness',
    about: [
      'Each member runs a manager. The managers that muster installs monitor and fence but do not elect a primary, so an even number works today. Managers that elect one decide by majority, and two of four are not a majority: if a network fault splits such a cluster in half, neither half can decide.',
      '',
      'A witness is a host with a manager and no database; a small machine is enough. Put it where it does not fail together with one of the halves: in a third room or zone.',
    ],
    bad: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2]',
      hosts: hosts('db1', 'db2'),
    }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2]\nwitnesses: [w1]',
      hosts: hosts('db1', 'db2', 'w1'),
    }),
  },
  'topology-mismatch': {
    title: 'Connectors or witnesses of a replicator service',
    about: [
      'With `topology: replicator` the members run only the replicator. A connector needs managers to find the primary, and a witness is a manager; a replicator service has no managers.',
      '',
      'Decide which one you need: replication only, or a cluster with managers and a proxy.',
    ],
    bad: smallFile({ service: 'topology: replicator\nmembers: [db1]\nconnectors: [db1]' }),
    good: smallFile({ service: 'topology: clustered\nmembers: [db1]\nconnectors: [db1]' }),
  },
  'witness-is-member': {
    title: 'A witness that is also a member',
    about: [
      'A member already runs a manager. As a witness it would not get a second one, so the number of managers stays the same.',
      '',
      'The witness must be a different machine.',
    ],
    bad: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2]\nwitnesses: [db2]',
      hosts: hosts('db1', 'db2'),
    }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2]\nwitnesses: [w1]',
      hosts: hosts('db1', 'db2', 'w1'),
    }),
  },
  'replicator-not-alone': {
    title: 'A host both in a replicator service and in a clustered one',
    about: [
      'One service runs only the replicator on the host, the other adds a manager or a connector. muster cannot do both.',
      '',
      'A host in a clustered service already runs a replicator. To copy its data to another machine, make that machine the member of the replicator service.',
    ],
    bad: twoServices({
      beta: ['topology: replicator', 'members: [db1]'],
      host: '  db1: { address: 10.0.0.11 }',
    }),
    good: twoServices({
      beta: ['topology: replicator', 'members: [db2]'],
      host: '  db1: { address: 10.0.0.11 }\n  db2: { address: 10.0.0.12 }',
    }),
  },
  'service-conflict': {
    title: 'Two services with different values for a host they share',
    about: [
      'A host may belong to several services, but it has one manager, one connector and one replicator, and each of these has one value per option.',
      'If the services of a host differ, set the value in the host; its `options:` override those of any service.',
      '',
      'If every host of both services should have the value, put it in `defaults:` and remove it from the services.',
    ],
    bad: `cluster: alpha
services:
  alpha:
    topology: clustered
    members: [db1]
    options: { log-level: debug }
  beta:
    topology: clustered
    members: [db1]
    options: { log-level: warn }
hosts:
  db1: { address: 10.0.0.11 }`,
    good: `cluster: alpha
services:
  alpha:
    topology: clustered
    members: [db1]
    options: { log-level: debug }
  beta:
    topology: clustered
    members: [db1]
    options: { log-level: warn }
hosts:
  db1:
    address: 10.0.0.11
    options: { log-level: debug }`,
  },
  'option-without-effect': {
    title: 'An option of a component that the host does not run',
    about: [
      'The services of a host define its components: members run manager and replicator, connectors the connector, witnesses a manager, and members of a replicator service only the replicator.',
      '',
      'Only options in the host itself are reported. In `defaults:` and in a service, an option may apply to some hosts and not to others.',
      'If you expected the component on this host, check the service, not the option.',
    ],
    bad: smallFile({
      hosts: 'db1:\n  address: 10.0.0.11\n  options: { connector-rest-api-port: 9000 }',
    }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [db1]',
      hosts: 'db1:\n  address: 10.0.0.11\n  options: { connector-rest-api-port: 9000 }',
    }),
  },
} satisfies Record<keyof typeof topologyEntries, Explanation>
