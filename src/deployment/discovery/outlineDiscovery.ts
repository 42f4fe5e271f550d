import { counted } from '../../base/words.ts'
import { type Outline, type OutlineLine, remark } from '../../config/outline.ts'
import type { DiscoveredHost, GivenHost } from './discoveredHosts.ts'
import { type DiscoveredService, placeDiscovered } from './discoveredServices.ts'
import { userLines } from './discoveredUsers.ts'
import { addAccounts, type FileHost, fileHost, isInstalled, splitOptions } from './fileHosts.ts'

/** How the command reached the hosts, for the group `ssh`. */
export type DiscoverySsh = {
  readonly user?: string
  readonly become: boolean
  readonly config?: string
}

const serviceLines = ({
  topology,
  master,
  members,
  connectors,
  witnesses,
  comments,
}: DiscoveredService): readonly OutlineLine[] => [
  { comments: comments.service, name: 'topology', value: topology },
  { comments: comments.master, name: 'master', value: master },
  { name: 'members', value: members },
  ...(connectors.length > 0 ? [{ name: 'connectors', value: connectors }] : [remark(...comments.connectors)]),
  ...(witnesses.length > 0 ? [{ name: 'witnesses', value: witnesses }] : []),
]

/** State of an installation that is on no host. */
const stateElsewhere = (cluster: string): readonly string[] => [
  `muster is installed there. The key of its certificate authority and generated passwords are on no host, but in .muster/${cluster}/ beside the file of whoever installed it. Bring them here with \`muster state export\` and \`muster state import\`: without them \`muster plan\` and \`muster install\` refuse, since clients trust that authority.`,
  'If they are lost for good, `muster cert rotate-authority --lost` with this file gives the hosts a new authority without an outage. Keystores of your own (java-tls-keystore-path) must be named again.',
]

/** Writes down what was discovered as a cluster; undefined if there is nothing that a service could have. */
export function outlineDiscovery(given: {
  readonly cluster: string
  readonly hosts: readonly DiscoveredHost[]
  /** Hosts that were not read, as the operator named them, and why not. */
  readonly failed: readonly { readonly address: string; readonly reason: string }[]
  readonly ssh: DiscoverySsh
  readonly connection?: 'ssh' | 'local'
}): Outline | undefined {
  const { cluster, hosts, failed, ssh, connection } = given
  const placed = placeDiscovered(hosts, cluster)
  if (placed.services.length === 0) return undefined
  const chosen = hosts
    .filter(({ name }) => !placed.left.includes(name))
    .map((host): FileHost => fileHost(host, placed))
  const accounts = addAccounts(chosen)
  const split = splitOptions(accounts.hosts, accounts.comments)
  const installed = chosen.some(({ host }) => isInstalled(host))
  return {
    head: [
      `Created by muster discover from ${counted(hosts.length, 'host')}. Comments name what was not sure. Passwords are not read: set each variable that !env names, or name a file with !file.`,
      ...(installed ? stateElsewhere(cluster) : []),
    ],
    cluster,
    defaults: [...userLines(hosts), ...accounts.remarks, ...split.defaults],
    ssh: sshLines(ssh),
    services: placed.services.map((service) => ({ name: service.name, lines: serviceLines(service) })),
    hosts: accounts.hosts.map(({ host, comments }) => ({
      name: host.name,
      comments,
      lines: [
        { name: 'address', value: host.given.address },
        ...(connection === 'local' ? [{ name: 'connection', value: connection }] : []),
      ],
      ssh: ownSsh(host.given, ssh),
      options: split.own.get(host.name) ?? [],
    })),
    tail: [
      ...placed.left.map(
        (name) => `${name} was left out: neither a database server nor a proxy was found there.`,
      ),
      ...failed.map(({ address, reason }) => `${address} was not read: ${reason}`),
    ],
  }
}

/** Lines of the group `ssh`. */
export const sshLines = ({ user, become, config }: DiscoverySsh): readonly OutlineLine[] => [
  ...(user === undefined ? [] : [{ name: 'user', value: user }]),
  ...(become ? [{ name: 'become', value: true }] : []),
  ...(config === undefined ? [] : [{ name: 'config', value: config }]),
]

const ownSsh = ({ user, port }: GivenHost, ssh: DiscoverySsh): readonly OutlineLine[] => [
  ...(user === undefined || user === ssh.user ? [] : [{ name: 'user', value: user }]),
  ...(port === undefined ? [] : [{ name: 'port', value: port }]),
]
