import { hostOf, type Lab } from '../support/labTypes.ts'

export type HostWish = {
  readonly name: string
  /** Through `ops` and sudo rather than as root. */
  readonly ops?: boolean
  /** False for a host that runs a connector alone. */
  readonly member?: boolean
  /** Lines such as `manager-rest-api: false`. */
  readonly options?: readonly string[]
  /** Instead of the host's own. */
  readonly address?: string
}

export type ClusterWish = {
  readonly cluster: string
  readonly topology: 'clustered' | 'replicator'
  readonly hosts: readonly HostWish[]
  /** Further lines of `defaults`, such as `datasource-type: mariadb`. */
  readonly defaults?: readonly string[]
  /** What gives the administrator's password; `!env ADMIN_PASS` unless told. */
  readonly password?: string
  /** Further lines of the `ssh` section; they win over the lab's. */
  readonly ssh?: Readonly<Record<string, string>>
}

/** The lab's tests run over the system's ssh where this variable says so. */
const transport = process.env.MUSTER_LAB_TRANSPORT ?? 'auto'

/** The YAML file of a cluster on hosts of the lab, every API on all interfaces. */
export function clusterFile(lab: Lab, wish: ClusterWish): string {
  const ssh = {
    transport,
    identity: lab.keyPath,
    'known-hosts': lab.knownHostsPath,
    timeout: '10s',
    ...wish.ssh,
  }
  const names = wish.hosts.map(({ name }) => name).join(', ')
  const members = wish.hosts.filter(({ member }) => member !== false).map(({ name }) => name)
  const clustered = wish.topology === 'clustered'
  const components = clustered ? ['manager', 'connector', 'replicator'] : ['replicator']
  return [
    `cluster: ${wish.cluster}`,
    'defaults:',
    '  rest-api-admin-user: admin',
    `  rest-api-admin-pass: ${wish.password ?? '!env ADMIN_PASS'}`,
    ...components.map((component) => `  ${component}-rest-api-address: 0.0.0.0`),
    ...(wish.defaults ?? []).map((line) => `  ${line}`),
    'ssh:',
    ...Object.entries(ssh).map(([key, value]) => `  ${key}: ${value}`),
    'services:',
    `  ${wish.cluster}:`,
    `    topology: ${wish.topology}`,
    `    master: ${wish.hosts[0]?.name}`,
    `    members: [${members.join(', ')}]`,
    ...(clustered ? [`    connectors: [${names}]`] : []),
    'hosts:',
    ...wish.hosts.flatMap((host) => [
      `  ${host.name}:`,
      `    address: ${host.address ?? hostOf(lab, host.name).address}`,
      `    ssh: { user: ${host.ops === true ? 'ops, become: true' : 'root'} }`,
      ...(host.options === undefined ? [] : ['    options:', ...host.options.map((line) => `      ${line}`)]),
    ]),
    '',
  ].join('\n')
}
