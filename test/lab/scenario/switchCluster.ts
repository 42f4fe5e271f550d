import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise'
import type { TaskPayload } from '../../../src/contracts/managerPayloads.ts'
import { type ServerByHand, switchByHand, switchWithoutHolding } from '../../support/switchByHand.ts'
import { sampleWritable, type WritableSampler } from '../../support/writableSampler.ts'
import {
  type ClientKind,
  loadRowsOf,
  loadTable,
  missingRows,
  type Place,
  startWriteLoad,
  type WriteLoad,
} from '../../support/writeLoad.ts'
import { eventually } from '../support/eventually.ts'
import type { Outcome } from '../support/execute.ts'
import type { LabHost } from '../support/labTypes.ts'
import { type DatabaseCluster, startDatabaseCluster } from './databaseCluster.ts'
import { sql } from './databases.ts'
import { replicationPassword, type ServerKind, usualKind } from './serverKind.ts'

/** Three databases behind three connectors, and what measures and disturbs a switch between them. */
export type SwitchCluster = {
  readonly cluster: DatabaseCluster
  readonly members: readonly LabHost[]
  /** The member of this name. */
  readonly member: (name: string) => LabHost
  /** Number of a member's server. */
  readonly numberOf: (host: LabHost) => number
  /** Connects to the server of a host as its administrator, past its network. */
  readonly administer: (host: LabHost) => Promise<Connection>
  /** Begins to sample `@@read_only` of all servers, as often as `sampleWritable` unless told. */
  readonly sample: (every?: number) => WritableSampler
  /** Begins to write through the connectors of all members, or of these; the rest as of `startWriteLoad`. */
  readonly load: (
    clients: Readonly<Record<ClientKind, number>>,
    through?: readonly LabHost[],
    more?: { readonly timeout?: number; readonly pace?: number },
  ) => WriteLoad
  /** Begins to write over the socket of each server, with the rights of the application: where no connector holds anybody. */
  readonly loadBeside: (timeout: number) => WriteLoad
  /** The one member that can be written and follows nobody. */
  readonly primary: () => Promise<LabHost>
  /** The member after this one, round. */
  readonly after: (host: LabHost) => LabHost
  readonly tapi: DatabaseCluster['tapi']
  /** `tapi switch --wait` of the manager of a host. */
  readonly tapiSwitch: (at: LabHost, ...argv: readonly string[]) => Promise<Outcome>
  /** The same with `--to`. */
  readonly switchTo: (to: LabHost, at?: LabHost) => Promise<Outcome>
  /** Starts a switch at the manager of a host; its status and the task. */
  readonly start: (
    at: LabHost,
    to?: LabHost,
  ) => Promise<{ readonly status: number; readonly payload: TaskPayload }>
  readonly byHand: (to: LabHost) => Promise<void>
  readonly withoutHolding: (to: LabHost) => Promise<void>
  /** Rows of a statement at the server of a host. */
  readonly ask: (host: LabHost, statement: string) => Promise<readonly Record<string, unknown>[]>
  /** Waits until one server is the primary, and all others follow it and have all of it. */
  readonly replicated: () => Promise<LabHost>
  /** The same, and all managers see all of them ONLINE, and that one as the writer. */
  readonly settled: () => Promise<LabHost>
  /** Installs the cluster, and waits until it is settled; the primary. */
  readonly install: () => Promise<LabHost>
  /** Acknowledged rows of a load that each server lacks, and the rows; all have caught up. */
  readonly missing: (load: WriteLoad) => Promise<{
    readonly missing: Readonly<Record<string, readonly string[]>>
    readonly rows: ReadonlyMap<string, number>
  }>
  /** What a server has, in its own words. */
  readonly position: (host: LabHost) => Promise<string>
  /** Statements by which a server follows another one. */
  readonly follow: (source: LabHost) => string
  /** The text of `alpha.yaml`. */
  readonly file: string
  readonly stop: () => Promise<void>
}

/** Milliseconds that connectors of this cluster hold a client, unless told. */
export const maxHold = 8000

/** Boots the lab and installs the cluster `alpha` over members db1, db2 and db3. */
export async function startSwitchCluster(
  defaults: readonly string[] = [],
  kind: ServerKind = usualKind,
  hold = maxHold,
): Promise<SwitchCluster> {
  const cluster = await startDatabaseCluster({
    kind,
    members: ['db1', 'db2', 'db3'],
    defaults: [`connector-max-hold: ${hold}ms`, ...defaults],
  })
  const { members } = cluster
  const [db1] = members
  if (!db1) throw new Error('the lab is not there')
  const root = randomBytes(12).toString('hex')
  await sql(
    db1,
    [
      `CREATE USER hand@localhost IDENTIFIED BY '${root}'; GRANT ALL ON *.* TO hand@localhost;`,
      `USE shop; ${loadTable};`,
    ].join('\n'),
  )
  for (const it of members.slice(1)) await sql(it, kind.setReadOnly)

  const socketOf = (host: LabHost, user: string): ConnectionOptions => ({
    socketPath: `${host.root()}/run/mysqld/mysqld.sock`,
    user,
    password: root,
  })
  const administer = async (host: LabHost): Promise<Connection> => {
    const connection = await createConnection(socketOf(host, 'hand'))
    connection.on('error', () => undefined)
    return connection
  }
  const member = (name: string): LabHost => {
    const found = members.find((it) => it.name === name)
    if (!found) throw new Error(`no member ${name}`)
    return found
  }
  const ask = async (host: LabHost, statement: string): Promise<readonly Record<string, unknown>[]> => {
    const connection = await administer(host)
    try {
      const [rows] = await connection.query(statement)
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
    } finally {
      connection.destroy()
    }
  }
  const isWritable = async (host: LabHost): Promise<boolean> => {
    const [row] = await ask(host, 'SELECT @@GLOBAL.read_only AS it')
    return Number(row?.it) === 0
  }
  const isPrimary = async (host: LabHost): Promise<boolean> =>
    (await isWritable(host)) && (await ask(host, kind.channels)).length === 0
  const primary = async (): Promise<LabHost> => {
    const found = await Promise.all(members.map(async (it) => ({ it, isPrimary: await isPrimary(it) })))
    const [first, second] = found.filter((one) => one.isPrimary)
    if (!first || second) throw new Error(`${found.filter((one) => one.isPrimary).length} primaries`)
    return first.it
  }
  const after = (host: LabHost): LabHost => {
    const next = members[(members.indexOf(host) + 1) % members.length]
    if (!next) throw new Error('the lab is not there')
    return next
  }

  const { tapi } = cluster
  const tapiSwitch: SwitchCluster['tapiSwitch'] = (at, ...argv) =>
    tapi(at, 'switch', '--wait', '--yes', ...argv)
  const order = (what: 'onhold' | 'online') => (): Promise<unknown> =>
    Promise.all(members.map((it) => cluster.apis().post(it, 'connector', what)))
  async function withRoles(
    to: LabHost,
    act: (roles: Parameters<typeof switchWithoutHolding>[0]) => Promise<void>,
  ): Promise<void> {
    const from = await primary()
    const servers: ServerByHand[] = await Promise.all(
      members.map(async (it) => ({
        name: it.name,
        host: it.address,
        port: 3306,
        connection: await administer(it),
      })),
    )
    const of = (host: LabHost): ServerByHand => {
      const found = servers.find(({ name }) => name === host.name)
      if (!found) throw new Error(`no member ${host.name}`)
      return found
    }
    try {
      await act({
        from: of(from),
        to: of(to),
        others: servers.filter(({ name }) => name !== from.name && name !== to.name),
        account: { user: 'repl', password: replicationPassword },
      })
    } finally {
      for (const { connection } of servers) connection.destroy()
    }
  }
  /** Makes every manager check every server now, instead of within a second. */
  const checkAll = (): Promise<unknown> =>
    Promise.all(
      members.flatMap((at) =>
        members.map((it) => cluster.apis().get(at, 'manager', `service/alpha/datasource/${it.name}/ping`)),
      ),
    )

  const position: SwitchCluster['position'] = async (host) => {
    const [row] = await ask(host, kind.position)
    return String(row?.it)
  }
  const replicated: SwitchCluster['replicated'] = async () => {
    const found = await eventually('one primary that all others follow', primary, { timeout: 60_000 })
    const at = await position(found)
    for (const it of members.filter((one) => one !== found)) {
      await eventually(
        `${it.name} as a replica of ${found.name}`,
        async () => {
          const [channel, more] = await ask(it, kind.channels)
          const follows = channel?.[kind.columns.host]
          if (more || follows !== found.address) throw new Error(`it follows ${follows}`)
          const [had] = await ask(it, kind.waitFor(at, 1))
          if (Number(had?.it) !== 0)
            throw new Error(`${channel?.Last_IO_Error} ${channel?.Last_SQL_Error} (${at})`)
          return true
        },
        { timeout: 60_000, every: 100 },
      )
    }
    return found
  }
  const settled: SwitchCluster['settled'] = async () => {
    const found = await replicated()
    await cluster.allOnline()
    await eventually('the same writer at each manager', async () => {
      const seen = await Promise.all(members.map((it) => cluster.service(it)))
      const names = seen.map(({ writer }) => writer.datasource)
      if (names.every((it) => it === found.name)) return true
      throw new Error(names.join(', '))
    })
    return found
  }

  return {
    cluster,
    members,
    member,
    numberOf: (host) => members.indexOf(host) + 1,
    administer,
    sample: (every) =>
      // As the managers do: a switch neither waits for this account nor ends its connections.
      sampleWritable(
        Object.fromEntries(
          members.map((it) => [
            it.name,
            () => ({
              ...socketOf(it, 'monitor'),
              password: cluster.secrets.monitor.password,
            }),
          ]),
        ),
        every,
      ),
    load: (clients, through = members, more = {}) => {
      const place = (it: LabHost): Place => ({ ...cluster.through(it), user: 'app', database: 'shop' })
      loads += 1
      return startWriteLoad({ places: through.map(place), clients, first: loads * 1000, ...more })
    },
    loadBeside: (timeout) => {
      const place = (it: LabHost): Place => ({
        // Its path is another one after each boot.
        get socketPath() {
          return `${it.root()}/run/mysqld/mysqld.sock`
        },
        ...{ user: 'app', password: cluster.through(it).password, database: 'shop' },
      })
      loads += 1
      return startWriteLoad({
        ...{ places: members.map(place), clients: { each: 0, kept: members.length }, first: loads * 1000 },
        // Those at replicas would try for ever.
        ...{ timeout, rest: 100, patience: 0 },
      })
    },
    primary,
    after,
    ask,
    replicated,
    tapi,
    tapiSwitch,
    switchTo: (to, at = db1) => tapiSwitch(at, '--to', to.name),
    start: (at, to) =>
      cluster
        .apis()
        .post<TaskPayload>(
          at,
          'manager',
          `control/service/alpha/switch${to === undefined ? '' : `?to=${to.name}`}`,
        ),
    byHand: (to) =>
      withRoles(to, (roles) =>
        switchByHand({
          ...roles,
          application: 'app',
          hold: order('onhold'),
          release: async () => {
            await checkAll()
            await order('online')()
          },
        }),
      ),
    withoutHolding: (to) => withRoles(to, switchWithoutHolding),
    settled,
    install: async () => {
      const { code, stdout, stderr } = await cluster.operator.muster(['install', '--yes', 'alpha.yaml'])
      if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`)
      return settled()
    },
    missing: async (load) => {
      await replicated()
      const found = await Promise.all(
        members.map(async (it) => {
          const connection = await administer(it)
          try {
            return { name: it.name, rows: await loadRowsOf(connection, 'shop') }
          } finally {
            connection.destroy()
          }
        }),
      )
      return {
        missing: Object.fromEntries(found.map(({ name, rows }) => [name, missingRows(load, rows)])),
        rows: found[0]?.rows ?? new Map(),
      }
    },
    position,
    follow: (source) => `${kind.stop}; ${kind.follow(source)}`,
    file: readFileSync(join(cluster.operator.directory, 'alpha.yaml'), 'utf8'),
    stop: () => cluster.lab.stop(),
  }
}

let loads = 0
