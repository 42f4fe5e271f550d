import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createAccounts } from '../accounts/accounts.ts'
import type { ScryptCost } from '../accounts/phc.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { ApiContext } from './apiContext.ts'
import { createApp } from './createApp.ts'
import { listenOnSocket, listenOnTcp } from './listen.ts'
import { createRequestCounts } from './metrics.ts'
import { readTls } from './readTls.ts'
import type { ComponentApi } from './serve.ts'

/** A component's API that answers on all its doors. */
export type RunningServer = {
  /** The TCP port in effect; absent without a TCP listener. */
  readonly port?: number
  /** Lets what is under way finish, ten seconds at most, and closes the doors. */
  stop(): Promise<void>
}

/** Milliseconds that calls under way get to finish when the server stops. */
const grace = 10_000

async function close(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), grace)
  await app.close().finally(() => clearTimeout(timer))
}

/**
 * Starts a component's API as its settings say: HTTPS at `listen`, plain HTTP on the Unix socket, the same
 * calls on both. Rejects with a `StartError`, and then nothing is left open.
 */
export async function startServer(options: {
  readonly settings: ServerSettings
  readonly api: ComponentApi
  readonly version: string
  readonly log: FastifyBaseLogger
  readonly cost?: ScryptCost
}): Promise<RunningServer> {
  const { settings, api, log } = options
  const tls = settings.listen ? readTls(settings.tls) : undefined
  let stopping = false
  const context: ApiContext = {
    component: api.component,
    version: options.version,
    node: process.version,
    hostName: hostname(),
    pid: process.pid,
    uptime: () => process.uptime() * 1000,
    now: () => new Date(),
    newRequestId: randomUUID,
    accounts: createAccounts({
      path: settings.usersFile,
      key: randomBytes(32),
      random: randomBytes,
      ...(options.cost ? { cost: options.cost } : {}),
    }),
    routes: api.served.map(({ route }) => route),
    allowedHosts: settings.allowedHosts,
    remoteBootstrap: settings.remoteBootstrap,
    ...(tls ? { certificateExpiry: tls.expiry } : {}),
    counts: createRequestCounts(),
    isStopping: () => stopping,
  }
  const shared = { served: api.served, context, log }
  const socket = createApp({ ...shared, door: 'socket' })
  const tcp = tls && createApp({ ...shared, door: 'tcp', tls })
  const stop = async (): Promise<void> => {
    stopping = true
    await Promise.all([socket, tcp].map((app) => app && close(app)))
  }

  try {
    await listenOnSocket(socket, settings.socket)
    if (tcp && settings.listen) await listenOnTcp(tcp, settings.listen)
  } catch (error) {
    await stop()
    throw error
  }
  const address = tcp?.server.address()
  return { ...(address && typeof address === 'object' ? { port: address.port } : {}), stop }
}
