import type { hostEntries } from '../entries/hosts.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const members = (...names: readonly string[]): string =>
  `topology: clustered\nmaster: db1\nmembers: [${names.join(', ')}]`

const connector = `${members('db1')}\nconnectors: [app1]`

/** Hosts: their names, addresses and folders. */
export const hostExplanations = {
  'duplicate-host': {
    title: 'Two host names that differ only in capital letters',
    about: [
      'DNS, certificates and `known_hosts` treat `DB1` and `db1` as the same name, so a call to one of the two may reach the other.',
      '',
      'If it is one machine, keep one of them. If there are two, use names that differ in more than capital letters.',
    ],
    bad: smallFile({
      service: connector.replace('app1', 'DB1'),
      hosts: 'db1: { address: 10.0.0.11 }\nDB1: { address: 10.0.0.12 }',
    }),
    good: smallFile({
      service: connector,
      hosts: 'db1: { address: 10.0.0.11 }\napp1: { address: 10.0.0.12 }',
    }),
  },
  'duplicate-address': {
    title: 'Two hosts at one address',
    about: [
      'Usually a host entry was copied and its address was not changed, so one machine would get two hosts and the other none.',
      'To give one machine two roles, name the same host in `members` and in `connectors`; it does not need a second entry.',
      '',
      'Loopback addresses count together with the port of `ssh`, so several tunnels (127.0.0.1 with ports 2201, 2202 …) are several hosts.',
      'Only the text of the file is compared: two names of one machine are not detected here.',
    ],
    bad: smallFile({
      service: connector,
      hosts: 'db1: { address: 10.0.0.11 }\napp1: { address: 10.0.0.11 }',
    }),
    good: smallFile({
      service: connector,
      hosts: 'db1: { address: 10.0.0.11 }\napp1: { address: 10.0.0.12 }',
    }),
  },
  'network-address': {
    title: 'An address that no host can have',
    about: [
      '`10.0.0.0` names a whole network, as does anything with a `/24` behind it; `224.…` is for multicast and `255.255.255.255` for broadcast. No server can listen there, and no client can connect to it.',
      '',
      'To listen on every interface, write `0.0.0.0`, or `::` for IPv6 as well. To listen on one, write the address of the host in that network.',
    ],
    bad: smallFile({
      defaults: 'rest-api-admin-user: admin\nmanager-rest-api-address: 10.0.0.0',
    }),
    good: smallFile({
      defaults: 'rest-api-admin-user: admin\nmanager-rest-api-address: 0.0.0.0',
    }),
    commands: `# on the host: the addresses that it has
ip -brief address`,
  },
  'relative-directory': {
    title: 'A relative install-directory on a host reached over SSH',
    about: [
      'On another machine a relative path has no clear start: the home of the login user depends on `ssh: user`, and with `become` it would be that of root.',
      '',
      'A relative path works with `connection: local`, where it is relative to the YAML file. `~/` does not help: it is your home on this machine.',
    ],
    bad: smallFile({ defaults: 'install-directory: muster' }),
    good: smallFile({ defaults: 'install-directory: /opt/muster' }),
  },
  'bad-directory': {
    title: 'An install-directory that is not only for muster',
    about: [
      'On uninstall muster deletes the folders `releases`, `runtimes`, `share`, `log` and `run` in this directory. In `/usr` that would be the `share` of the whole system.',
      '',
      'Use a folder below it, such as `/opt/muster` or `/srv/muster`. It does not have to exist.',
    ],
    bad: smallFile({ defaults: 'install-directory: /opt' }),
    good: smallFile({ defaults: 'install-directory: /opt/muster' }),
  },
  'local-directory-clash': {
    title: 'Two local hosts in one folder',
    about: [
      'Hosts with `connection: local` are all this machine. You can try a cluster of several hosts on one machine if each has its own folder and ports.',
      '',
      'Set them in the hosts; a default or a service would give all the same folder.',
    ],
    bad: `cluster: alpha
services:
  alpha:
    topology: clustered
    members: [db1]
    connectors: [app1]
hosts:
  db1: { connection: local }
  app1: { connection: local }`,
    good: `cluster: alpha
services:
  alpha:
    topology: clustered
    members: [db1]
    connectors: [app1]
hosts:
  db1:
    connection: local
    options: { install-directory: run/db1 }
  app1:
    connection: local
    options: { install-directory: run/app1 }`,
  },
  'ssh-without-effect': {
    title: 'SSH settings of a local host',
    about: [
      'With `connection: local` everything runs on this machine, as the user who runs muster, without a login.',
      'So `user` and `become` have no effect; to work as root, run muster itself with `sudo`.',
      '',
      'Settings in the `ssh:` of the whole file are not reported, since other hosts may need them.',
    ],
    bad: smallFile({
      hosts: 'db1:\n  connection: local\n  ssh: { user: ops }',
    }),
    good: smallFile({ hosts: 'db1: { connection: local }' }),
  },
} satisfies Record<keyof typeof hostEntries, Explanation>
