import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import { replicationGrants } from '../../src/contracts/databaseAccounts.ts'
import { freePort } from './ports.ts'

const program = '/usr/sbin/mariadbd'

/** Whether real servers can be started here: Debian's package mariadb-server-core or one that brings it. */
export const hasMariadb = existsSync(program)

/** A private MariaDB server on a loopback port. */
export type Mariadb = {
  readonly port: number
  /** Runs statements as root, one after another; the rows of the last. */
  sql(...statements: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Stops the process where it stands, as a machine that hangs does. */
  freeze(): void
  /** Lets it go on. */
  thaw(): void
  /** Kills it; resolves when it is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port and data. */
  start(...options: readonly string[]): Promise<void>
}

/** Waits until no thread of a process runs any more (proc(5)): one may still answer after the signal was sent. */
function untilStopped(pid: number): void {
  const states = (): readonly string[] =>
    readdirSync(`/proc/${pid}/task`).map(
      (task) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8'))?.[1] ?? '',
    )
  const tick = new Int32Array(new SharedArrayBuffer(4))
  while (states().some((state) => !'TZX'.includes(state))) Atomics.wait(tick, 0, 0, 1)
}

export type MariadbLab = {
  /**
   * Starts a server with a number of its own; the first is number 1. One with `maxConnectErrors` counts broken logins
   * of 127.0.0.9 in performance_schema.host_cache, and blocks that address after so many. Without `optionFile` it reads none.
   */
  server(more?: {
    readonly maxConnectErrors?: number
    readonly optionFile?: string
    readonly options?: readonly string[]
  }): Promise<Mariadb>
  /** Kills all of them and removes their data. */
  end(): Promise<void>
}

const asRoot = process.geteuid?.() === 0 ? ['--user=root'] : []

/** Small and careless: nobody's data is in it. */
const frugal = [
  '--innodb-log-file-size=4M',
  '--innodb-buffer-pool-size=8M',
  // Written at each commit and never synced: what was committed outlives SIGKILL, and no power cord is pulled here.
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-flush-method=nosync',
  '--innodb-doublewrite=0',
  '--performance-schema=0',
]

/** A server that starts removes all temporary tables of its folder for them, also those of others that share it. */
function ownTemporary(folder: string, name: number | string): readonly string[] {
  const temporary = join(folder, `tmp-${name}`)
  mkdirSync(temporary)
  return [`--tmpdir=${temporary}`]
}

/** Errors of a host count only while its name and its address lead to each other, so the server gets names of its own. */
function withHosts(file: string): readonly string[] {
  const rights = asRoot.length > 0 ? [] : ['--map-root-user']
  const script = 'mount --bind "$0" /etc/hosts && exec "$@"'
  return ['unshare', '--mount', ...rights, 'sh', '-c', script, file]
}

async function launch(args: readonly string[], before: readonly string[]): Promise<ChildProcess> {
  // A server must not outlive the tests, however they end.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...before, program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const words: string[] = []
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`mariadbd did not start:\n${words.join('\n')}`)))
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      words.push(line)
      if (line.includes('ready for connections')) resolve()
    })
  })
  return child
}

async function startServer(options: {
  readonly folder: string
  readonly number: number
  readonly maxConnectErrors: number | undefined
  readonly optionFile: string | undefined
  readonly more: readonly string[]
}): Promise<Mariadb> {
  const { folder, number, maxConnectErrors, optionFile, more } = options
  const port = await freePort()
  const socket = join(folder, `${number}.sock`)
  const args = [
    optionFile === undefined ? '--no-defaults' : `--defaults-file=${optionFile}`,
    ...asRoot,
    `--datadir=${join(folder, String(number))}`,
    `--socket=${socket}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--server-id=${number}`,
    '--log-bin=bin',
    '--slave-net-timeout=2',
    ...frugal,
    ...ownTemporary(folder, number),
    ...(maxConnectErrors === undefined
      ? ['--skip-name-resolve']
      : ['--performance-schema=1', `--max-connect-errors=${maxConnectErrors}`]),
    ...more,
  ]
  const hosts = join(folder, 'hosts')
  writeFileSync(hosts, '127.0.0.1 localhost\n127.0.0.9 connector.test\n')
  const before = maxConnectErrors === undefined ? [] : withHosts(hosts)
  let child = await launch(args, before)
  return {
    port,
    sql: async (...statements) => {
      const connection = await createConnection({ socketPath: socket, user: 'root' })
      try {
        let rows: unknown = []
        for (const statement of statements) [rows] = await connection.query(statement)
        return Array.isArray(rows) ? rows : []
      } finally {
        connection.destroy()
      }
    },
    freeze: () => {
      child.kill('SIGSTOP')
      untilStopped(child.pid ?? 0)
    },
    thaw: () => void child.kill('SIGCONT'),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    start: async (...options) => {
      child = await launch([...args, ...options], before)
    },
  }
}

/** Prepares an empty database once, from which each server gets a copy. */
export async function mariadbLab(): Promise<MariadbLab> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-mariadb-'))
  const template = join(folder, 'template')
  const servers: Promise<Mariadb>[] = []
  const install = [
    '--no-defaults',
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    `--datadir=${template}`,
    ...asRoot,
    ...frugal,
    ...ownTemporary(folder, 'template'),
  ]
  await promisify(execFile)('mariadb-install-db', install)
  return {
    server: ({ maxConnectErrors, optionFile, options = [] } = {}) => {
      const number = servers.length + 1
      cpSync(template, join(folder, String(number)), { recursive: true })
      const server = startServer({ folder, number, maxConnectErrors, optionFile, more: options })
      servers.push(server)
      return server
    },
    end: async () => {
      const started = await Promise.allSettled(servers)
      await Promise.all(started.map((it) => (it.status === 'fulfilled' ? it.value.kill() : undefined)))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes one server a replica of another, stopped; by GTID unless told. */
export async function makeReplica(options: {
  readonly primary: Mariadb
  readonly replica: Mariadb
  readonly channel?: string
  readonly byFile?: boolean
}): Promise<void> {
  const { primary, replica, channel = '', byFile = false } = options
  await primary.sql(
    "CREATE USER IF NOT EXISTS repl@'127.0.0.1' IDENTIFIED BY 'repl-secret'",
    "GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'",
  )
  await replica.sql(
    `CHANGE MASTER '${channel}' TO MASTER_HOST='127.0.0.1', MASTER_PORT=${primary.port}, MASTER_USER='repl',
     MASTER_PASSWORD='repl-secret', MASTER_USE_GTID=${byFile ? 'no' : 'slave_pos'}, MASTER_CONNECT_RETRY=1`,
  )
}

/** Makes the account `muster` as the replicator needs it, with nothing more. */
export async function createAccount(server: Mariadb, password: string): Promise<void> {
  const grants = replicationGrants({ type: 'mariadb', user: 'muster', from: '127.0.0.1' })
  const quoted = password.replaceAll(/[\\']/g, '\\$&')
  await server.sql(
    'SET sql_log_bin = 0',
    ...grants
      .replace('<replication-password>', () => quoted)
      .split('\n')
      .filter((line) => /^(CREATE|GRANT) /.test(line)),
  )
}

/** Makes a server nobody's replica. */
export async function forgetReplication(server: Mariadb): Promise<void> {
  const channels = await server.sql('STOP ALL SLAVES', 'SHOW ALL SLAVES STATUS')
  const names = channels.map((it) => String(it.Connection_name).replaceAll(/[\\']/g, '\\$&'))
  await server.sql(...names.map((name) => `RESET SLAVE '${name}' ALL`))
}
