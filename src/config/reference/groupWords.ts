/** What each group of the file is for, for editors and the reference page. */
export const groupWords = {
  file: 'One file describes one installation: who does what, on which hosts, with which options.',
  defaults:
    'Options for every host. A service or a host can have its own under options; the nearest one wins.',
  ssh: 'How to reach the hosts over SSH. A host can have its own under ssh; what it does not give holds from here.',
  services: 'The services of the cluster, by name.',
  service: 'One service: its topology and the hosts that take part in it.',
  hosts: 'Every host, by the name that services use for it.',
  host: 'One host: where it is, how to reach it, and its own options.',
  options: 'Options for this service or host alone; they win over those of defaults.',
  hostSsh: 'How to reach this host, where it differs from ssh at the top of the file.',
} as const
