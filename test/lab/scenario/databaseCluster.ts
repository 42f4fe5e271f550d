import { join } from 'node:path'
import type { ConnectorStatusPayload } from '../../../src/contracts/connectorPayloads.ts'
import { monitorGrants, replicationGrants } from '../../../src/contracts/databaseAccounts.ts'
import type { DatasourceStatusPayload, ServiceStatusPayload } from '../../../src/contracts/managerPayloads.ts'
import { eventually } from '../support/eventually.ts'
import { startLab } from '../support/lab.ts'
import { hostOf, type Lab, type LabHost } from '../support/labTypes.ts'
import { type Apis, apisOf } from './api.ts'
import { askOnce } from './client.ts'
import { clusterFile } from './clusterFile.ts'
import { startReplication } from './databases.ts'
import { createOperator, type Operator } from './operator.ts'
import { makeSentinel } from './sentinel.ts'
import { type ServerKind, usualKind } from './serverKind.ts'

/** Ports of every connector for writers and for readers. */
export const clientPorts = { writes: 9999, reads: 9998 } as const

const literal = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** Returns the SQL that muster prints for an account, with the password that the reader puts in. */
const filledIn = (printed: string, secret: string): string =>
  printed.replace(/'<[a-z-]+>'/, () => literal(secret))

/** Hosts with databases in replication, the first as the primary, and the file of a cluster over them. */
export type DatabaseCluster = {
  readonly lab: Lab
  readonly kind: ServerKind
  /** Hosts with a database, in the order of the file. */
  readonly members: readonly LabHost[]
  readonly operator: Operator
  /** Administrator's password, and those of the accounts in the databases. */
  readonly secrets: Readonly<Record<'admin' | 'replicator' | 'monitor', ReturnType<typeof makeSentinel>>>
  /** Where an application connects through the connector of a host. */
  readonly through: (
    host: LabHost,
    port?: number,
  ) => { readonly host: string; readonly port: number; readonly password: string }
  /** Calls the APIs; the cluster is installed. */
  readonly apis: () => Apis
  /** A command of `tapi` for the manager of a host, as the administrator. */
  readonly tapi: (at: LabHost, ...argv: readonly string[]) => ReturnType<Operator['tapi']>
  readonly service: (of: LabHost) => Promise<ServiceStatusPayload>
  readonly source: (of: LabHost, name: string) => Promise<DatasourceStatusPayload>
  readonly connector: (of: LabHost) => Promise<ConnectorStatusPayload>
  /** Waits until these managers, all unless told, see a data source in this state. */
  readonly seenAs: (
    name: string,
    state: string,
    by?: readonly LabHost[],
  ) => Promise<readonly DatasourceStatusPayload[]>
  /** Waits until all managers see all data sources ONLINE. */
  readonly allOnline: () => Promise<void>
  /** Returns the number of the server that a connection reaches. */
  readonly serverOf: (place: ReturnType<DatabaseCluster['through']>) => Promise<number>
  /** Waits until readers of a connector are spread over exactly the servers of these numbers. */
  readonly readers: (of: LabHost, wanted: readonly number[]) => Promise<unknown>
}

/**
 * Boots the lab of a cluster `alpha`: databases in replication on `members`, connectors there and on `connectors`.
 * Nothing is installed yet; `alpha.yaml` is in the operator's folder.
 */
export async function startDatabaseCluster(wish: {
  readonly members: readonly string[]
  readonly connectors?: readonly string[]
  /** Further lines of `defaults`. */
  readonly defaults?: readonly string[]
  readonly kind?: ServerKind
}): Promise<DatabaseCluster> {
  const { members: names, connectors = [], defaults = [], kind = usualKind } = wish
  const secrets = { admin: makeSentinel(), replicator: makeSentinel(), monitor: makeSentinel() }
  const app = 'of the application'
  const lab = await startLab({ hosts: [...names, ...connectors], ...kind.base, node: true })
  const members = names.map((name) => hostOf(lab, name))
  const everywhere = { type: kind.type, from: '%' }
  await startReplication(members, {
    app,
    kind,
    statements: [
      filledIn(replicationGrants({ ...everywhere, user: 'replicator' }), secrets.replicator.password),
      filledIn(monitorGrants({ ...everywhere, user: 'monitor' }), secrets.monitor.password),
    ],
  })
  const operator = createOperator(lab, 'operator', secrets.admin.password)
  operator.write('admin.password', secrets.admin.password)
  operator.write('replicator.password', secrets.replicator.password)
  operator.write('monitor.password', secrets.monitor.password)
  const file = clusterFile(lab, {
    cluster: 'alpha',
    topology: 'clustered',
    hosts: [...names.map((name) => ({ name })), ...connectors.map((name) => ({ name, member: false }))],
    defaults: [
      `datasource-type: ${kind.type}`,
      'replication-user: replicator',
      'replication-password: !file replicator.password',
      'monitor-user: monitor',
      'monitor-password: !file monitor.password',
      'application-address: 0.0.0.0',
      `application-readonly-port: ${clientPorts.reads}`,
      ...defaults,
    ],
  })
  operator.write('alpha.yaml', file)

  let opened: Apis | undefined
  const apis = (): Apis => {
    const authority = join(operator.directory, '.muster', 'alpha', 'authority.crt')
    opened ??= apisOf({ authority, password: secrets.admin.password })
    return opened
  }
  const through: DatabaseCluster['through'] = (of, port = clientPorts.writes) => ({
    host: of.address,
    port,
    password: app,
  })
  const source: DatabaseCluster['source'] = (of, name) =>
    apis().get(of, 'manager', `status/service/alpha/datasource/${name}`)
  const seenAs: DatabaseCluster['seenAs'] = (name, state, by = members) =>
    eventually(
      `${name} as ${state}`,
      async () => {
        const seen = await Promise.all(by.map((it) => source(it, name)))
        if (seen.every((it) => it.state === state)) return seen
        throw new Error(seen.map((it) => `${it.state} (${it.reason})`).join(', '))
      },
      { timeout: 60_000, every: 200 },
    )
  const serverOf: DatabaseCluster['serverOf'] = async (place) =>
    Number(await askOnce(place, 'SELECT @@server_id'))
  async function readersOf(it: LabHost): Promise<readonly number[]> {
    const seen = await Promise.all(Array.from({ length: 12 }, () => serverOf(through(it, clientPorts.reads))))
    return [...new Set(seen)].sort()
  }

  return {
    lab,
    kind,
    members,
    operator,
    secrets,
    through,
    apis,
    tapi: (at, ...argv) =>
      operator.tapi([
        ...['--host', at.address, '--user', 'admin', '--password-file', 'admin.password'],
        ...argv,
      ]),
    service: (of) => apis().get(of, 'manager', 'status/service/alpha'),
    source,
    connector: (of) => apis().get(of, 'connector', 'status'),
    seenAs,
    allOnline: async () => {
      for (const name of names) await seenAs(name, 'ONLINE')
    },
    serverOf,
    readers: (it, wanted) =>
      eventually(`readers of ${it.name} at ${wanted}`, async () => `${await readersOf(it)}` === `${wanted}`),
  }
}
