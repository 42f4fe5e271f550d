/** Purpose of each group, for editors and docs/options.md. */
export const groupDescriptions = {
  file: 'One file describes one cluster: its services, its hosts and their options.',
  defaults:
    'Options for every host. A service or a host can have its own under options; the most specific one applies.',
  ssh: 'How to reach the hosts over SSH. A host can override them under ssh, setting by setting.',
  hooks: 'Programs of yours that run at moments of a run which changes hosts.',
  services: 'The services of the cluster, by name.',
  service: 'One service: its topology and its hosts.',
  hosts: 'Every host, by the name that services use for it.',
  host: 'One host: where it is, how to reach it, and its own options.',
  options: 'Options for this service or host alone; they override those of defaults.',
  hostSsh: 'How to reach this host, if different from ssh at the top of the file.',
} as const

/** Names that a configuration in a single file must have; the rule `required` reports a missing one. */
export const requiredNames = {
  file: ['cluster', 'services', 'hosts'],
  service: ['topology', 'members'],
} as const
