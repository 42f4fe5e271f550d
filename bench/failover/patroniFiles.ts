import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LabHost } from '../../test/lab/support/labTypes.ts'

/** Ports of each host. */
export const ports = { writes: 5000, postgres: 5432, rest: 8008 } as const

/** Settings of Patroni that all its members share; those that are not there have its defaults. */
export type Settings = {
  readonly ttl: number
  readonly loop_wait: number
  readonly retry_timeout: number
  readonly primary_start_timeout: number
  readonly synchronous_mode: boolean
  readonly synchronous_mode_strict: boolean
}

const etcd = (host: LabHost, members: readonly LabHost[]): string => `ETCD_NAME=${host.name}
ETCD_DATA_DIR=/var/lib/etcd/alpha
ETCD_LISTEN_PEER_URLS=http://0.0.0.0:2380
ETCD_LISTEN_CLIENT_URLS=http://0.0.0.0:2379
ETCD_INITIAL_ADVERTISE_PEER_URLS=http://${host.address}:2380
ETCD_ADVERTISE_CLIENT_URLS=http://${host.address}:2379
ETCD_INITIAL_CLUSTER=${members.map((it) => `${it.name}=http://${it.address}:2380`).join(',')}
ETCD_INITIAL_CLUSTER_STATE=new
ETCD_INITIAL_CLUSTER_TOKEN=alpha
ETCD_ENABLE_V2=true
`

/**
 * The file of Patroni. It speaks version 2 of etcd's protocol, as in its example: by version 3, a leader of Patroni 3.0.2 whose
 * session has expired may overwrite the key of its successor (Patroni, pull request 2689, corrected in 3.0.3). Nobody but the
 * lab is in its network, so there are no passwords: logins are as cheap as they can be.
 */
const patroni = (host: LabHost, members: readonly LabHost[], settings: Settings): string => `scope: alpha
name: ${host.name}
restapi: { listen: "0.0.0.0:${ports.rest}", connect_address: "${host.address}:${ports.rest}" }
etcd:
  hosts: [${members.map((it) => `"${it.address}:2379"`).join(', ')}]
bootstrap:
  dcs:
${Object.entries(settings)
  .map(([name, value]) => `    ${name}: ${value}`)
  .join('\n')}
    postgresql:
      use_pg_rewind: true
      remove_data_directory_on_rewind_failure: true
      remove_data_directory_on_diverged_timelines: true
      use_slots: true
  initdb: [ { encoding: UTF8 }, data-checksums ]
  pg_hba:
  - local all all trust
  - host all all 0.0.0.0/0 trust
  - host replication all 0.0.0.0/0 trust
postgresql:
  listen: "0.0.0.0:${ports.postgres}"
  connect_address: "${host.address}:${ports.postgres}"
  data_dir: /var/lib/postgresql/15/alpha
  bin_dir: /usr/lib/postgresql/15/bin
  pgpass: /var/lib/postgresql/alpha.pgpass
  use_unix_socket: true
  authentication:
    superuser: { username: postgres }
    replication: { username: replicator }
    rewind: { username: rewinder }
  parameters: { unix_socket_directories: /var/run/postgresql }
`

/**
 * The file that Patroni has as an example, but for how often it asks: every 3 s, and one is up after two answers, would
 * add seconds to each failover.
 */
const haproxy = (members: readonly LabHost[]): string => `global
    maxconn 1000
defaults
    mode tcp
    retries 2
    timeout client 30m
    timeout connect 4s
    timeout server 30m
    timeout check 2s
listen writes
    bind *:${ports.writes}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
${members
  .map((it) => `    server ${it.name} ${it.address}:${ports.postgres} maxconn 100 check port ${ports.rest}`)
  .join('\n')}
`

/** Writes the files of etcd, Patroni and HAProxy of a host. */
export function writePatroniFiles(host: LabHost, members: readonly LabHost[], settings: Settings): void {
  const files = {
    'etc/default/etcd': etcd(host, members),
    'etc/patroni/config.yml': patroni(host, members, settings),
    'etc/haproxy/haproxy.cfg': haproxy(members),
  }
  for (const [path, text] of Object.entries(files)) {
    const file = join(host.root(), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
