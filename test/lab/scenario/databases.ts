import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import type { LabHost } from '../support/labTypes.ts'

/** Runs statements in the MariaDB of a host as its root; they go through standard input. Throws what it says. */
export async function sql(host: LabHost, statements: string): Promise<string> {
  const { code, stdout, stderr } = await host.run(
    'mariadb --default-character-set=utf8mb4 --batch --skip-column-names',
    {
      stdin: statements,
    },
  )
  if (code !== 0) throw new Error(`MariaDB of ${host.name}: ${stderr.trim() || stdout.trim()}`)
  return stdout.trim()
}

const configuration = (id: number): string =>
  [
    '[mysqld]',
    'bind-address = 0.0.0.0',
    `server-id = ${id}`,
    'log-bin = bin',
    `gtid-domain-id = 0`,
    'log-slave-updates = ON',
    // A host that names cannot be looked up from must not make anybody wait.
    'skip-name-resolve = ON',
    // Strict, to see that nobody's checks get this machine blocked.
    'max_connect_errors = 3',
    // A replica notices within seconds that its primary is gone, and asks again.
    'slave_net_timeout = 4',
    'innodb_buffer_pool_size = 32M',
    '',
  ].join('\n')

/** With which the servers of a lab log in at each other as `repl`. */
export const replicationPassword = 'r\'\\"é'

const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** Starts MariaDB on a host as the server of this number. */
export async function startDatabase(host: LabHost, id: number): Promise<void> {
  const folder = join(host.root(), 'etc/mysql/mariadb.conf.d')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '99-lab.cnf'), configuration(id))
  const started = await host.run('systemctl enable --now mariadb', { timeout: 120_000 })
  if (started.code !== 0) {
    const log = await host.run('journalctl -b -u mariadb --no-pager | tail -n 20')
    throw new Error(`MariaDB of ${host.name} does not start: ${started.stderr}${log.stdout}`)
  }
}

/** The first line of what a replica says of its replication with these words, such as `Slave_IO_Running`. */
export async function replicaWord(host: LabHost, word: string): Promise<string> {
  const { stdout } = await host.run("mariadb --execute 'SHOW SLAVE STATUS\\G'")
  return new RegExp(`^\\s*${word}: (.*)$`, 'm').exec(stdout)?.[1]?.trim() ?? ''
}

/** Waits until both threads of a replica run. */
export const replicates = (host: LabHost): Promise<boolean> =>
  eventually(
    `the replication of ${host.name}`,
    async () =>
      (await replicaWord(host, 'Slave_IO_Running')) === 'Yes' &&
      (await replicaWord(host, 'Slave_SQL_Running')) === 'Yes',
    { timeout: 60_000, every: 200 },
  )

/**
 * Starts MariaDB on hosts of the lab, the first as primary of the others, by GTID; settles when all replicate.
 * There is a table `shop.orders (id, note)` that `app` may read and write.
 */
export async function startReplication(
  hosts: readonly LabHost[],
  facts: {
    /** Password of the account `app`. */
    readonly app: string
    /** What the first server is told beside that; replication carries it to the others. */
    readonly statements: readonly string[]
  },
): Promise<void> {
  const [primary, ...replicas] = hosts
  if (!primary) throw new Error('a primary is needed')
  await Promise.all(hosts.map((host, index) => startDatabase(host, index + 1)))
  await sql(
    primary,
    [
      `CREATE USER repl@'%' IDENTIFIED BY ${text(replicationPassword)};`,
      "GRANT REPLICATION SLAVE ON *.* TO repl@'%';",
      `CREATE USER app@'%' IDENTIFIED BY ${text(facts.app)};`,
      ...facts.statements,
      'CREATE DATABASE shop;',
      'CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARCHAR(200)) ENGINE=InnoDB;',
      "GRANT ALL ON shop.* TO app@'%';",
    ].join('\n'),
  )
  const change = [
    'RESET MASTER;',
    'SET GLOBAL gtid_slave_pos = "";',
    `CHANGE MASTER TO MASTER_HOST=${text(primary.address)}, MASTER_USER='repl',`,
    `MASTER_PASSWORD=${text(replicationPassword)}, MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1,`,
    'MASTER_HEARTBEAT_PERIOD=1;',
    'START SLAVE;',
  ].join('\n')
  await Promise.all(replicas.map((replica) => sql(replica, change)))
  await Promise.all(replicas.map((replica) => replicates(replica)))
}
