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
    title: 'A service names a host that is not under hosts',
    about: [
      'Services name hosts; `hosts:` says what each of them is and how to reach it. A name on one side only would leave out a machine that somebody counts on.',
      '',
      'Besides misspellings, this comes from a host that was renamed or removed in one of the two places, and from a file with the hosts that was not given: with several files, name all of them.',
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
      'That may be as you want it, for a machine that is being prepared. Then say so in a `muster-ignore` comment.',
      '',
      'If the host was taken out of its service a while ago, mind that nothing was taken away from it: what an earlier install put there still runs.',
    ],
    bad: smallFile({ hosts: hosts('db1', 'db2') }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [db2]',
      hosts: hosts('db1', 'db2'),
    }),
  },
  'named-twice': {
    title: 'A host twice in one list',
    about: [
      'To name it a second time adds nothing, so another host was probably meant. Then a machine is missing in the list, which matters more than the one that is there twice.',
      'Count the entries against the machines that you have.',
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
      'A member that was replaced or renamed while `master:` kept the old name is the usual cause.',
      'Before you name another one, be sure which database holds the latest data. This line does not move data.',
    ],
    bad: smallFile({ service: 'topology: clustered\nmaster: db9\nmembers: [db1, db2, db3]', hosts: three }),
    good: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2, db3]', hosts: three }),
  },
  'master-missing': {
    title: 'Several members and no master',
    about: [
      'Of one member everybody knows which database takes the writes. Of two or more somebody has to say it, and the first of a list is not always right.',
      '',
      'Services whose topology is `replicator` need none.',
    ],
    bad: smallFile({ service: 'topology: clustered\nmembers: [db1, db2, db3]', hosts: three }),
    good: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1, db2, db3]', hosts: three }),
    commands: `# on a host: empty where the database is nobody's replica
mysql -e 'SHOW REPLICA STATUS\\G'`,
  },
  'even-managers': {
    title: 'An even number of managers without a witness',
    about: [
      'Each member runs a manager. The managers that muster installs watch and fence, and elect no primary, so nothing breaks today. Managers that do elect one decide by majority, and two of four are none: where a network fault cuts such a cluster in half, neither half may decide.',
      '',
      'A witness is a host with a manager and no database; any small machine will do. Put it where it does not fail together with one of the halves: in a third room or zone.',
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
      'With `topology: replicator` the members run the replicator and nothing else. A connector needs managers to tell it where the primary is, and a witness is one more manager; a replicator service has none.',
      '',
      'Decide which of the two was meant: replication alone, or a cluster with managers and a proxy.',
    ],
    bad: smallFile({ service: 'topology: replicator\nmembers: [db1]\nconnectors: [db1]' }),
    good: smallFile({ service: 'topology: clustered\nmembers: [db1]\nconnectors: [db1]' }),
  },
  'witness-is-member': {
    title: 'A witness that is a member as well',
    about: [
      'A member has a manager and with it a vote. Named as a witness it would not get a second one, so the number of managers stays even although the file seems to say otherwise.',
      '',
      'The witness must be another machine.',
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
      'One service says that the host exposes the replicator and nothing else, the other gives it a manager or a connector. Whatever muster did, one of them would not get what it asked for.',
      '',
      'A host in a clustered service runs a replicator anyway. To copy its data elsewhere, make the other machine the member of the replicator service.',
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
    title: 'Two services that disagree about a host they share',
    about: [
      'A host may belong to several services, but it has one manager, one connector and one replicator, and each of these has one value per option.',
      'Where the services of a host differ, the host itself must decide; its `options:` win over those of any service.',
      '',
      'If every host of both services should have the value, put it into `defaults:` and take it out of the services.',
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
      'Which components a host runs follows from its services: members run manager and replicator, connectors the connector, witnesses a manager, and members of a replicator service the replicator alone.',
      '',
      'It is said only of options that stand in the host itself. In `defaults:` and in a service an option may well concern some hosts and not others.',
      'If you expected the component on this host, look at the service, not at the option.',
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
