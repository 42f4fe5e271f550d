import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startServer } from '../../../src/api/startServer.ts'
import { openComponent } from '../../../src/components/openComponent.ts'
import { type Component, components } from '../../../src/contracts/component.ts'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { fetchAt, portOf } from '../../support/https.ts'
import { createAccount, hasMariadb, makeReplica } from '../../support/mariadb.ts'
import { createMonitor, mariadbPair } from '../../support/mariadbPair.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { proxySettings } from '../../support/proxySettings.ts'
import { createServerCertificate } from '../../support/serverCertificate.ts'
import { testCost } from '../../support/testApi.ts'

/** A host with its three components, each at work. */
export type ApiHost = {
  readonly folder: string
  readonly ports: Readonly<Record<Component, number>>
  /** PEM file of what signed the certificates. */
  readonly authority: string
  /** Password of the user admin. */
  readonly password: string
  readonly stop: () => Promise<void>
}

const secrets = { 'replication-password': 'replication-secret', 'monitor-password': 'monitor-secret' }
const password = 'pässword of admin'

/**
 * Starts two databases in real replication, and the three servers of the host of one of them on loopback: of db1, the
 * primary, or of db2, its replica. `followsManager`: as installed on a host that has a manager, too.
 */
export async function startApiHost({
  host,
  followsManager,
}: {
  readonly host: 'db1' | 'db2'
  readonly followsManager: boolean
}): Promise<ApiHost> {
  if (!hasMariadb) throw new Error('mariadbd is missing: apt-get install mariadb-server')
  const folder = mkdtempSync(join(tmpdir(), 'muster-newman-'))
  const pair = await mariadbPair((server) => createMonitor(server, secrets['monitor-password']))
  const { primary, replica } = pair
  await createAccount(replica, secrets['replication-password'])
  if (host === 'db1') await createAccount(primary, secrets['replication-password'])
  await makeReplica({ primary, replica })
  await replica.sql('START ALL SLAVES')

  const certificate = createServerCertificate()
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const tls = { key: file('key.pem', certificate.key), chain: file('chain.pem', certificate.chain) }
  const secretsFile = file('secrets.json', JSON.stringify(secrets))
  const services = {
    services: [
      {
        name: 'alpha',
        datasources: [
          { name: 'db1', host: '127.0.0.1', port: primary.port, role: 'primary' },
          { name: 'db2', host: '127.0.0.1', port: replica.port, role: 'replica' },
        ],
      },
    ],
  } as const
  const socket = (component: Component): string => join(folder, `${component}.sock`)
  const own: Readonly<Record<Component, Partial<ServerSettings>>> = {
    manager: {
      services,
      stateFile: join(folder, 'manager.json'),
      member: { service: 'alpha', datasource: host, witness: false },
      monitor: monitorSettings,
      connectorSocket: socket('connector'),
    },
    connector: {
      ...(followsManager ? { managerSocket: socket('manager') } : {}),
      services,
      stateFile: join(folder, 'connector.json'),
      proxy: { ...proxySettings, port: 0, readonlyPort: 0, drainTimeout: 1000 },
    },
    replicator: {
      database: {
        type: 'mariadb',
        host: '127.0.0.1',
        port: (host === 'db1' ? primary : replica).port,
        user: 'muster',
        service: 'alpha',
      },
    },
  }
  const log = pino({ level: 'silent' })
  const started = await Promise.all(
    components.map(async (component) => {
      const settings: ServerSettings = {
        version: 1,
        cluster: 'alpha',
        host,
        component,
        listen: { address: '127.0.0.1', port: 0 },
        socket: socket(component),
        tls,
        usersFile: join(folder, 'users.json'),
        auditFile: join(folder, `${component}.audit.jsonl`),
        allowedHosts: [],
        remoteBootstrap: false,
        logLevel: 'info',
        secretsFile,
        ...own[component],
      }
      const opened = await openComponent(settings, log)
      const server = await startServer({ settings, api: opened.api, version: '1.2.3', log, cost: testCost })
      await opened.start?.()
      return { component, opened, server }
    }),
  )
  const ports = Object.fromEntries(
    started.map(({ component, server }) => [component, portOf(server)]),
  ) as Record<Component, number>
  await fetchAt(
    { port: ports.manager, ca: certificate.chain },
    {
      path: '/api/v2/createAdminUser?i-am-sure=true',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payloadType: 'credentials', user: 'admin', pass: password }),
    },
  )
  return {
    folder,
    ports,
    authority: tls.chain,
    password,
    stop: async () => {
      await Promise.all(
        started.map(async ({ opened, server }) => {
          await Promise.all([server.stop(), opened.stop?.()])
          opened.close()
        }),
      )
      await pair.end()
      rmSync(folder, { recursive: true })
    },
  }
}
