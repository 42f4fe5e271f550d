import type { DatabaseReport } from '../../../src/deployment/discovery/databaseReport.ts'
import type { HostDiscovery } from '../../../src/deployment/discovery/discoverHost.ts'

/** What a database server says; it follows nobody. */
export const database = (own: Partial<DatabaseReport> = {}): DatabaseReport => ({
  type: 'mariadb',
  version: '11.8.3-MariaDB',
  port: 3306,
  socket: '/run/mysqld/mysqld.sock',
  datadir: '/var/lib/mysql',
  readOnly: false,
  serverId: 1,
  binaryLog: true,
  semiSync: undefined,
  ownCluster: undefined,
  onlyLocal: false,
  channels: [],
  accounts: [],
  ...own,
})

/** The number of a host is that of its server and of its address. */
export const replica = (number: number, ...sources: readonly string[]): DatabaseReport =>
  database({
    serverId: number,
    readOnly: sources.length > 0,
    channels: sources.map((host, index) => ({
      name: index === 0 ? '' : `c${index}`,
      source: { host, port: 3306, serverId: undefined },
      running: true,
      gtid: true,
    })),
  })

export const discovery = (number: number, own: Partial<HostDiscovery> = {}): HostDiscovery => ({
  hostname: `db${number}`,
  os: 'Debian GNU/Linux 13 (trixie)',
  systemd: true,
  isRoot: true,
  addresses: [`10.0.0.1${number}`],
  listeners: [],
  programs: new Map(),
  installations: [],
  distrusted: [],
  ...own,
})
