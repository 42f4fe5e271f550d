import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import type { LabHost } from '../support/labTypes.ts'
import { replicationPassword, type ServerKind, usualKind } from './serverKind.ts'

/** The client that a host has for its database. */
const client = '"$(command -v mariadb || command -v mysql)"'

/** Runs statements in the database of a host as its root; they go through standard input. Throws what it says. */
export async function sql(host: LabHost, statements: string): Promise<string> {
  const { code, stdout, stderr } = await host.run(
    `${client} --default-character-set=utf8mb4 --batch --skip-column-names`,
    {
      stdin: statements,
    },
  )
  if (code !== 0) throw new Error(`The database of ${host.name}: ${stderr.trim() || stdout.trim()}`)
  return stdout.trim()
}

const configuration = (id: number, { configuration: { lines } }: ServerKind): string =>
  [
    '[mysqld]',
    'bind-address = 0.0.0.0',
    `server-id = ${id}`,
    'log-bin = bin',
    // A host that names cannot be looked up from must not make anybody wait.
    'skip-name-resolve = ON',
    // Strict, to see that nobody's checks get this machine blocked.
    'max_connect_errors = 3',
    'innodb_buffer_pool_size = 32M',
    ...lines,
    '',
  ].join('\n')

const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** Starts the database of a host as the server of this number. */
export async function startDatabase(host: LabHost, id: number, kind = usualKind): Promise<void> {
  const folder = join(host.root(), kind.configuration.folder)
  mkdirSync(folder, { recursive: true })
  // After those of the package.
  writeFileSync(join(folder, 'zz-lab.cnf'), configuration(id, kind))
  const started = await host.run(`systemctl enable --now ${kind.unit}`)
  if (started.code !== 0) {
    const log = await host.run(`journalctl -b -u ${kind.unit} --no-pager | tail -n 20`)
    throw new Error(`${kind.name} of ${host.name} does not start: ${started.stderr}${log.stdout}`)
  }
}

/** What a replica says of its replication in a column such as `Slave_IO_Running`. */
export async function replicaWord(host: LabHost, column: string, kind = usualKind): Promise<string> {
  const { stdout } = await host.run(`${client} --batch --execute '${kind.channels}'`)
  const [columns = [], values = []] = stdout.split('\n').map((line) => line.split('\t'))
  return values[columns.indexOf(column)] ?? ''
}

/** Waits until both threads of a replica run. */
export const replicates = (host: LabHost, kind = usualKind): Promise<boolean> =>
  eventually(
    `the replication of ${host.name}`,
    async () =>
      (await replicaWord(host, kind.columns.receiver, kind)) === 'Yes' &&
      (await replicaWord(host, kind.columns.applier, kind)) === 'Yes',
    { timeout: 60_000, every: 200 },
  )

/**
 * Starts the databases of hosts of the lab, the first as primary of the others, by GTID; settles when all replicate.
 * There is a table `shop.orders (id, note)` that `app` may read and write.
 */
export async function startReplication(
  hosts: readonly LabHost[],
  facts: {
    /** Password of the account `app`. */
    readonly app: string
    /** What the first server is told beside that; replication carries it to the others. */
    readonly statements: readonly string[]
    readonly kind?: ServerKind
  },
): Promise<void> {
  const { kind = usualKind } = facts
  const [primary, ...replicas] = hosts
  if (!primary) throw new Error('a primary is needed')
  await Promise.all(hosts.map((host, index) => startDatabase(host, index + 1, kind)))
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
  const change = `${kind.begin}; ${kind.follow(primary)}`
  await Promise.all(replicas.map((replica) => sql(replica, change)))
  await Promise.all(replicas.map((replica) => replicates(replica, kind)))
}
