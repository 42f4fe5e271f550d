import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type RunningServer, startServer } from '../../src/api/startServer.ts'
import { componentApis } from '../../src/components/componentApis.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { createServerCertificate } from './serverCertificate.ts'
import { testCost } from './testApi.ts'

/** What the servers of a test file show, and their clients trust. */
export const certificate = createServerCertificate()

/** Settings of a server that lives in one folder, on a port that the system chooses. */
export function settingsIn(folder: string, more: Partial<ServerSettings> = {}): ServerSettings {
  const tls = { key: join(folder, 'key.pem'), chain: join(folder, 'chain.pem') }
  if (!existsSync(tls.key)) {
    writeFileSync(tls.key, certificate.key)
    writeFileSync(tls.chain, certificate.chain)
  }
  return {
    version: 1,
    cluster: 'alpha',
    host: 'db1',
    component: 'manager',
    listen: { address: '127.0.0.1', port: 0 },
    socket: join(folder, `${more.component ?? 'manager'}.sock`),
    tls,
    usersFile: join(folder, 'users.json'),
    auditFile: join(folder, 'audit.jsonl'),
    allowedHosts: [],
    remoteBootstrap: false,
    logLevel: 'info',
    ...more,
  }
}

type More = Partial<Parameters<typeof startServer>[0]>

/** Starts a server that stops when the test ends. */
export async function start(
  settings: ServerSettings,
  log: Logger = pino({ level: 'silent' }),
  more: More = {},
): Promise<RunningServer> {
  const api = componentApis[settings.component]
  const server = await startServer({ settings, api, version: '1.2.3', log, cost: testCost, ...more })
  onTestFinished(() => server.stop())
  return server
}
